//! What a guard finds, freezes and sets aside.

use super::*;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

/// What a place that was set aside is called.
fn aside(note: &Note) -> &str {
    match note {
        Note::SetAside { aside, .. } => aside,
        other => panic!("not set aside: {other}"),
    }
}

#[test]
fn what_is_there_is_frozen_and_what_is_new_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_path_buf();
    fs::create_dir_all(root.join("sub/.git/hooks")).unwrap();
    fs::write(root.join(".env"), "old").unwrap();
    let protected = Protected::default();
    let watch = Watch::begin(&protected, std::slice::from_ref(&root)).unwrap();
    let mut frozen = watch.frozen.clone();
    frozen.sort();
    assert_eq!(frozen, [root.join(".env"), root.join("sub/.git")]);
    // The program moves a repository, makes one, and writes an honest file.
    fs::rename(root.join("sub"), root.join("moved")).unwrap();
    fs::create_dir_all(root.join("sub/.git/hooks")).unwrap();
    fs::write(root.join("sub/.envrc"), "new").unwrap();
    fs::write(root.join("sub/plain"), "new").unwrap();
    let notes = watch.end(&protected);
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(root.join("moved/.git/hooks").is_dir());
    assert!(!root.join("sub/.git").exists() && !root.join("sub/.envrc").exists());
    assert!(root.join("sub/plain").exists());
    assert_eq!(fs::read_to_string(root.join(".env")).unwrap(), "old");
}

#[test]
fn what_takes_the_number_of_a_protected_place_is_not_taken_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let place = root.join(".husky");
    fs::create_dir(&place).unwrap();
    let protected = Protected::default();
    let watch = Watch::begin(&protected, std::slice::from_ref(&root)).unwrap();
    let before = fs::metadata(&place).unwrap();
    fs::remove_dir(&place).unwrap();
    // File systems give a free number to the next one, at once or after a few.
    let has_it = (0..2_000).any(|number| {
        let other = root.join(number.to_string());
        fs::create_dir(&other).unwrap();
        let is_it = fs::metadata(&other).unwrap().ino() == before.ino();
        let name = if is_it { &place } else { &root.join("unused") };
        if is_it {
            fs::rename(&other, name).unwrap();
        }
        is_it
    });
    if !has_it {
        fs::create_dir(&place).unwrap();
    }
    let notes = watch.end(&protected);
    assert_eq!(notes.len(), 1, "number again: {has_it}: {notes:?}");
    assert!(!place.exists() && root.join(aside(&notes[0])).is_dir());
}

#[test]
fn a_link_is_known_by_its_name_and_where_it_leads_and_its_goal_is_frozen() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let link = std::os::unix::fs::symlink::<&str, PathBuf>;
    fs::create_dir(root.join("docs")).unwrap();
    fs::write(root.join("docs/rc"), "mine").unwrap();
    link("nowhere", root.join(".envrc")).unwrap();
    link("docs/rc", root.join(".vimrc")).unwrap();
    link("docs/rc", root.join(".bashrc")).unwrap();
    link("/", root.join(".zshrc")).unwrap();
    fs::create_dir(root.join("sub")).unwrap();
    link("/elsewhere", root.join("sub/.profile")).unwrap();
    let protected = Protected::default();
    let watch = Watch::begin(&protected, std::slice::from_ref(&root)).unwrap();
    assert_eq!(watch.frozen, [root.join("docs/rc")]);
    assert!(watch.end(&protected).is_empty());
    // A file takes the place, and perhaps the number, of a link; one link gets the name of
    // another; a third leads elsewhere. Moving a folder changes nothing.
    fs::remove_file(root.join(".envrc")).unwrap();
    fs::write(root.join(".envrc"), "evil").unwrap();
    fs::rename(root.join(".vimrc"), root.join(".zshrc")).unwrap();
    fs::remove_file(root.join(".bashrc")).unwrap();
    link("docs/evil", root.join(".bashrc")).unwrap();
    fs::rename(root.join("sub"), root.join("moved")).unwrap();
    let notes = watch.end(&protected);
    assert_eq!(notes.len(), 3, "{notes:?}");
    for gone in [".envrc", ".zshrc", ".bashrc"] {
        assert!(root.join(gone).symlink_metadata().is_err(), "{gone}");
    }
    assert!(root.join("moved/.profile").symlink_metadata().is_ok());
}

#[test]
fn what_may_be_the_users_own_is_set_aside_whole() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let protected = Protected::default();
    let watch = Watch::begin(&protected, std::slice::from_ref(&root)).unwrap();
    fs::create_dir_all(root.join(".git/hooks")).unwrap();
    fs::write(root.join(".git/hooks/pre-commit"), "mine").unwrap();
    let notes = watch.end(&protected);
    let now = root.join(aside(&notes[0]));
    assert!(!root.join(".git").exists());
    let kept = fs::read_to_string(now.join("hooks/pre-commit"));
    assert_eq!(kept.unwrap(), "mine");
    assert!(watch.end(&protected).is_empty());
    // A program that still runs gives it its name back.
    fs::rename(now, root.join(".git")).unwrap();
    assert_eq!(watch.end(&protected).len(), 1);
    assert!(!root.join(".git").exists());
}

#[test]
fn what_is_put_in_the_way_leads_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join(".env"), "precious").unwrap();
    let protected = Protected::default();
    let watch = Watch::begin(&protected, std::slice::from_ref(&root)).unwrap();
    fs::create_dir(root.join("sub")).unwrap();
    fs::write(root.join("sub/.env"), "bait").unwrap();
    let sight = search(&protected, std::iter::once(&root), Limits::AFTER);
    let found = &sight.found;
    fs::rename(root.join("sub"), root.join("gone")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), root.join("sub")).unwrap();
    assert!(watch.set_aside(&found[0], false).is_err());
    // A folder in its place instead of a link: another thing of the same name.
    fs::remove_file(root.join("sub")).unwrap();
    fs::create_dir(root.join("sub")).unwrap();
    fs::write(root.join("sub/.env"), "another").unwrap();
    assert_eq!(watch.set_aside(&found[0], false), Err(Errno::AGAIN));
    assert!(elsewhere.path().join(".env").exists() && root.join("sub/.env").exists());
}

#[test]
fn what_cannot_be_renamed_is_closed_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::File::open(folder.path()).unwrap();
    let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().mode() & 0o777;
    for name in [".git", "other"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    let about = fs::metadata(folder.path().join(".git")).unwrap();
    let identity = (about.dev(), about.ino());
    assert!(aside::close(&root, ".git".as_ref(), identity));
    assert!(!aside::close(&root, "other".as_ref(), identity));
    assert!(is_closed(&folder.path().join(".git")));
    assert_eq!((mode(".git"), mode("other") & 0o700), (0, 0o700));
}

#[test]
fn a_root_above_our_own_folders_is_refused() {
    let protected = Protected::new(&[PathBuf::from("/home/u/.config/housecarl")]);
    let refused = Watch::begin(&protected, &[PathBuf::from("/home/u")]).unwrap_err();
    assert_eq!(refused.rule, "root_too_wide");
}

#[test]
fn what_is_found_is_taken_away_however_much_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let protected = Protected::default();
    let watch = Watch::begin(&protected, std::slice::from_ref(&root)).unwrap();
    let deep = root.join("d/".repeat(Limits::BEFORE.depth + 7));
    fs::create_dir_all(deep.join(".git")).unwrap();
    fs::create_dir_all(root.join(".git/hooks")).unwrap();
    let notes = watch.end(&protected);
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(!root.join(".git").exists() && !deep.join(".git").exists());
    // The shallow ones come first, and that there may be more is said.
    fs::create_dir_all(root.join("e/".repeat(30))).unwrap();
    for shallow in ["d/.git", "e/.git"] {
        fs::create_dir(root.join(shallow)).unwrap();
    }
    fs::create_dir_all(deep.join(".git")).unwrap();
    let few = Limits {
        entries: 20,
        ..Limits::AFTER
    };
    let notes = watch.end_within(&protected, few);
    assert!(matches!(notes[0], Note::Incomplete { .. }), "{notes:?}");
    assert!(!root.join("d/.git").exists() && !root.join("e/.git").exists());
    assert!(deep.join(".git").exists());
}

#[test]
fn a_closed_folder_hides_nothing() {
    if rustix::process::geteuid().is_root() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
        // A copy: the folder of the tests may be closed to others.
        let itself = folder.path().join("test");
        fs::copy(std::env::current_exe().unwrap(), &itself).unwrap();
        let done = std::process::Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(&itself)
            .args(["a_closed_folder_hides_nothing", "--nocapture"])
            .env("TMPDIR", folder.path())
            .current_dir(folder.path())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success() && told.contains("1 passed"), "{told}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let protected = Protected::default();
    let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode));
    let now = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    fs::create_dir_all(root.join("old/.git")).unwrap();
    mode(&root.join("old"), 0o311).unwrap();
    let watch = Watch::begin(&protected, std::slice::from_ref(&root)).unwrap();
    assert_eq!(watch.frozen, [root.join("old/.git")]);
    assert_eq!(now(&root.join("old")), 0o311);
    fs::create_dir_all(root.join("r/deeper/.git/hooks")).unwrap();
    fs::create_dir_all(root.join("kept/.git/hooks")).unwrap();
    for (name, closed) in [
        ("kept/.git/hooks", 0o000),
        ("kept", 0o555),
        ("r/deeper", 0o000),
        ("r", 0o311),
        ("", 0o311),
    ] {
        mode(&root.join(name), closed).unwrap();
    }
    let notes = watch.end(&protected);
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert_eq!(now(&root), 0o311);
    mode(&root, 0o755).unwrap();
    assert_eq!(now(&root.join("r")), 0o311);
    assert_eq!(now(&root.join("r/deeper")), 0o000);
    mode(&root.join("r/deeper"), 0o755).unwrap();
    assert!(!root.join("r/deeper/.git").exists());
    assert!(root.join("old/.git").exists() && !root.join("kept/.git").exists());
    mode(&root.join("kept"), 0o755).unwrap();
    let kept = notes.iter().map(|note| root.join("kept").join(aside(note)));
    let kept = kept.flat_map(|kept| [kept.join("hooks"), kept]);
    let others = ["old", "r"].map(|name| root.join(name));
    for name in kept.chain(others) {
        // What was removed whole has no mode.
        let _changed = mode(&name, 0o755);
    }
}

#[test]
fn a_folder_that_is_elsewhere_at_the_end_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let above = folder.path().canonicalize().unwrap();
    let root = above.join("project");
    fs::create_dir(&root).unwrap();
    let protected = Protected::default();
    let watch = Watch::begin(&protected, std::slice::from_ref(&root)).unwrap();
    assert!(watch.end(&protected).is_empty());
    fs::rename(&root, above.join("renamed")).unwrap();
    for is_exchanged in [false, true] {
        if is_exchanged {
            fs::create_dir(&root).unwrap();
        }
        let notes = watch.end(&protected);
        let told = matches!(&notes[..], [Note::Incomplete { why }] if why.contains("project"));
        assert!(told, "{notes:?}");
    }
}
