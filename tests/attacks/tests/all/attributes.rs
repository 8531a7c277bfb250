//! Who may use a file stays as it was when its content changes.

use attacks::script::{do_it, scene, statuses};
use rustix::fs::{XattrFlags, getxattr, removexattr, setxattr};
use serde_json::json;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use testkit::flags::CHANGES;

const LIST: &str = "system.posix_acl_access";
const DEFAULTS: &str = "system.posix_acl_default";
const NOTE: &str = "user.note";

/// The list that shuts the file's group out and lets one user in, as the kernel stores it: tag,
/// rights and number of each entry (`acl(5)`).
fn list() -> Vec<u8> {
    let everybody = u32::MAX;
    let entries: [(u16, u16, u32); 5] = [
        (0x01, 6, everybody),
        (0x02, 6, 1000),
        (0x04, 0, everybody),
        (0x10, 6, everybody),
        (0x20, 0, everybody),
    ];
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, who) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(rights.to_le_bytes());
        bytes.extend(who.to_le_bytes());
    }
    bytes
}

fn value(path: &Path, name: &str) -> Option<Vec<u8>> {
    let mut buffer = vec![0; 256];
    let count = getxattr(path, name, &mut buffer[..]).ok()?;
    buffer.truncate(count);
    Some(buffer)
}

#[test]
fn an_edit_keeps_access_lists_and_attributes() {
    let edit = |path: &str| {
        let arguments = json!({"path": path, "old": "old", "new": "new"});
        ("edit_file", arguments)
    };
    let scene = scene(&[
        ("delete_file", json!({"path": "c.txt"})),
        ("undo", json!({})),
        edit("a.txt"),
        edit("sub/b.txt"),
    ]);
    let brought_back = scene.house.write("c.txt", "old\n");
    let file = scene.house.write("a.txt", "old\n");
    let set = |path: &Path, name: &str, value: &[u8]| {
        setxattr(path, name, value, XattrFlags::empty()).is_ok()
    };
    // A file without a list, in a folder that gives one to each new file.
    let plain = scene.house.write("sub/b.txt", "old\n");
    fs::set_permissions(&plain, fs::Permissions::from_mode(0o640)).unwrap();
    let folder = plain.parent().unwrap();
    if !set(&brought_back, LIST, &list())
        || !set(&file, LIST, &list())
        || !set(&file, NOTE, b"v")
        || !set(folder, DEFAULTS, &list())
    {
        // A file system without them.
        return;
    }
    let outcome = do_it(&scene, &CHANGES);
    assert_eq!(statuses(&outcome), ["ok"; 4], "{:#}", outcome.summary);
    // Undo knows no lists, and lets nobody in whom the list shut out.
    assert_eq!(scene.house.read("c.txt"), "old\n");
    let mode = fs::metadata(&brought_back).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
    assert_eq!(scene.house.read("a.txt"), "new\n");
    assert_eq!(value(&file, LIST), Some(list()));
    assert_eq!(value(&file, NOTE).as_deref(), Some(&b"v"[..]));
    assert_eq!(value(&plain, LIST), None);
    let mode = fs::metadata(&plain).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    removexattr(folder, DEFAULTS).unwrap();
}

/// Only root may give a file to a group of which it is no member.
#[test]
fn a_deletion_that_was_taken_back_leaves_the_file_to_its_group() {
    let scene = scene(&[
        ("delete_file", json!({"path": "a.txt"})),
        ("undo", json!({})),
        (
            "edit_file",
            json!({"path": "a.txt", "old": "old", "new": "new"}),
        ),
    ]);
    let file = scene.house.write("a.txt", "old\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let is_root = std::os::unix::fs::chown(&file, None, Some(4_242)).is_ok();
    let before = fs::metadata(&file).unwrap();
    let outcome = do_it(&scene, &CHANGES);
    assert_eq!(statuses(&outcome), ["ok"; 3], "{:#}", outcome.summary);
    let after = fs::metadata(&file).unwrap();
    assert_eq!(after.gid(), if is_root { 4_242 } else { before.gid() });
    assert_eq!(after.mode() & 0o777, 0o640);
    assert_eq!(scene.house.read("a.txt"), "new\n");
}
