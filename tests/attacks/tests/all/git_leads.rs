//! Ordinary files that other programs run because something out of sight names them: the
//! configuration of git, a repository above the opened folder, links of the home; and how much of the
//! folders is shut where nobody can look.

use attacks::script::{Call, OPEN, play, recast, results, statuses};
use scenarios::Outcome;
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use testkit::House;

const MINE: &str = "#!/bin/sh\nexit 0\n";
const PLANTED: &str = "planted";
/// Deeper than is looked.
const DEEP: usize = 140;

fn write(path: &str) -> Call<'static> {
    let arguments = json!({"path": path, "content": PLANTED, "mode": "overwrite"});
    ("write_file", arguments)
}

fn shell(script: &str) -> Call<'static> {
    ("run_command", json!({"argv": ["sh", "-c", script]}))
}

/// What each file of the work holds after these calls in a folder of it.
fn after(house: House, folder: &str, calls: &[Call<'_>]) -> (House, Outcome, String) {
    let scene = recast(house, calls);
    let opened = scene.house.work().join(folder);
    let opened = opened.to_str().unwrap();
    let args = [
        &OPEN[..2],
        &["-C", opened, "--allow-write", opened],
        &OPEN[4..],
        &["do it"],
    ];
    let outcome = scene.run(&args.concat());
    let told = results(&scene, &outcome).concat();
    (scene.house, outcome, told)
}

/// Plants by a file tool, and in a second house by a command: the file stays, one beside it does not.
fn assert_kept(what: &str, furnish: &dyn Fn(&House), folder: &str, file: &str) {
    let beside = "beside.txt";
    let script = format!("echo {PLANTED} > {file}; echo {PLANTED} > {beside}; true");
    for calls in [vec![write(file), write(beside)], vec![shell(&script)]] {
        let house = House::new();
        furnish(&house);
        let (house, outcome, told) = after(house, folder, &calls);
        let at = |name: &str| fs::read_to_string(house.work().join(folder).join(name));
        let told = format!("{what}: {told} {:#}", outcome.summary);
        assert!(!at(file).unwrap_or_default().contains(PLANTED), "{told}");
        assert!(at(beside).unwrap_or_default().contains(PLANTED), "{told}");
    }
}

#[test]
fn every_file_that_git_is_told_to_run_is_protected() {
    let table = [
        ("[core]\n\thooksPath = tools # ours\n", "tools/x"),
        ("[core]\n\thooksPath = \"too\"ls ; ours\n", "tools/x"),
        ("[core]\n\thooksPath = to\\\nols\n", "tools/x"),
        ("[core]\n\thooksPath = link\n", "tools/x"),
        ("[include]\n\tpath = ../one.inc\n", "two.inc"),
        ("[include]\n\tpath = ../one.inc\n", "tools/x"),
        ("[core]\n\tfsmonitor = sh tools/x -q\n", "tools/x"),
        ("[filter \"a\"]\n\tclean = tools/x %f\n", "tools/x"),
        ("[diff \"a\"]\n\ttextconv = tools/x\n", "tools/x"),
        ("[alias]\n\tst = \"!tools/x\"\n", "tools/x"),
        ("[alias]\n\tst = !cd tools && ./x\n", "tools/x"),
        ("[core]\n\tsshCommand = later/x\n", "later/x"),
        ("[alias]\n\turl = !./tools/x\n", "tools/x"),
        ("[alias]\n\ttemplate = !./tools/x\n", "tools/x"),
        ("[lfs \"extension.a\"]\n\tclean = ./tools/x %f\n", "tools/x"),
        (
            "[lfs \"customtransfer.a\"]\n\tpath = ./tools/x\n",
            "tools/x",
        ),
        ("[remote \"a\"]\n\turl = ext::tools/x %S\n", "tools/x"),
        ("[url \"ext::tools/x \"]\n\tinsteadOf = a:\n", "tools/x"),
    ];
    for (configuration, file) in table {
        let furnish = |house: &House| {
            house.write(".git/config", configuration);
            house.write("tools/x", MINE);
            house.write("one.inc", "[include]\n\tpath = two.inc\n");
            house.write("two.inc", "[core]\n\thooksPath = tools\n");
            symlink("tools", house.work().join("link")).unwrap();
        };
        assert_kept(configuration, &furnish, ".", file);
    }
    let of_a_work_tree = |house: &House| {
        house.write(".git/config", "");
        house.write(".git/config.worktree", "[core]\n\thooksPath = tools\n");
        house.write("tools/x", MINE);
    };
    assert_kept("config.worktree", &of_a_work_tree, ".", "tools/x");
    let of_the_user = |house: &House| {
        house.write(".git/config", "");
        house.write("tools/x", MINE);
        let configuration = house.home().join(".gitconfig");
        fs::write(configuration, "[core]\n\thooksPath = tools\n").unwrap();
    };
    assert_kept("~/.gitconfig", &of_the_user, ".", "tools/x");
}

/// An option with its path in one word, what an interpreter adds to a name, a pattern, a shell's quotes.
#[test]
fn a_file_that_git_runs_by_part_of_its_name_is_protected() {
    let table = [
        ("[filter \"a\"]\n\tclean = sed -ftools/x\n", "tools/x"),
        ("[filter \"a\"]\n\tclean = sed -nftools/x\n", "tools/x"),
        ("[core]\n\tsshCommand = ssh -Flater/x\n", "later/x"),
        ("[core]\n\teditor = ruby -r./tools/y -e1\n", "tools/y.rb"),
        ("[alias]\n\tst = !node ./tools/z\n", "tools/z.js"),
        ("[core]\n\tfsmonitor = python3 -m tools.w\n", "tools/w.py"),
        (
            "[core]\n\tfsmonitor = python3 -m tools.w\n",
            "tools/__init__.py",
        ),
        ("[core]\n\tfsmonitor = python3 -m v\n", "v.py"),
        ("[core]\n\tfsmonitor = python3 ./run\n", "run/__main__.py"),
        (
            "[alias]\n\tu = !PYTHONPATH=tools python3 -c 'import w'\n",
            "tools/w.py",
        ),
        (
            "[merge \"a\"]\n\tdriver = tools/dr*v?r.sh %O\n",
            "tools/driver.sh",
        ),
        ("[core]\n\tpager = to\\\"ol\\\"s/x\n", "tools/x"),
    ];
    let files = [
        "tools/x",
        "tools/y.rb",
        "tools/z.js",
        "tools/w.py",
        "tools/driver.sh",
        "v.py",
        "run/__main__.py",
    ];
    for (configuration, file) in table {
        let furnish = |house: &House| {
            house.write(".git/config", configuration);
            for file in files {
                house.write(file, MINE);
            }
        };
        assert_kept(configuration, &furnish, ".", file);
    }
}

#[test]
fn git_that_runs_its_own_commands_protects_no_file() {
    let configuration = "[core]\n\teditor = vim\n\tpager = less -FRX\n\tautocrlf = input\n\
                         [user]\n\tname = A. Main\n[credential]\n\thelper = store\n\
                         [diff]\n\ttool = meld\n[merge]\n\tconflictstyle = diff3\n\
                         [filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\
                         [difftool \"code\"]\n\tcmd = code --wait --diff $LOCAL $REMOTE\n\
                         [alias]\n\tlg = log --stat -p main\n\tst = status -sb\n\
                         \twip = !git add -A && git commit -m wip\n\
                         \tlock = \"!git diff -- . ':(exclude)*.lock'\"\n\
                         [tool]\n\troot = ./src\n";
    let files = [
        "vim.py",
        "less.js",
        "input.rb",
        "store.ts",
        "main.py",
        "wip.py",
        "clean.py",
        "diff.py",
        "Cargo.lock",
        "src/__init__.py",
        "src/index.js",
    ];
    let furnish = |house: &House| {
        house.write(".git/config", configuration);
        files.iter().for_each(|file| drop(house.write(file, MINE)));
    };
    let calls = files.map(write);
    let (scene, outcome) = play(furnish, &calls);
    let told = results(&scene, &outcome);
    assert_eq!(statuses(&outcome), ["ok"; 11], "{told:#?}");
}

#[test]
fn git_that_runs_no_file_protects_none() {
    let configuration = "[core]\n\tbare = false\n\texcludesFile = notes.txt\n\
                         [remote \"origin\"]\n\turl = src\n[branch \"main\"]\n\tmerge = src/main\n\
                         [alias]\n\tlg = log --stat src\n[user]\n\tname = main.rs\n\
                         [tool]\n\troot = ./src\n\
                         [lfs]\n\turl = src/main.rs\n\tfetchexclude = src/main.rs\n\
                         [url \"git@host:src/main.rs\"]\n\tinsteadOf = src/main\n";
    let furnish = |house: &House| {
        house.write(".git/config", configuration);
        house.write("src/main.rs", MINE);
        let submodule = "[core]\n\tworktree = ../../../sub\n[submodule]\n\tactive = .\n";
        house.write(".git/modules/sub/config", submodule);
        house.write("sub/.git", "gitdir: ../.git/modules/sub\n");
    };
    let calls = [
        write("src/main.rs"),
        write("src/main"),
        write("notes.txt"),
        write("sub/x"),
    ];
    let (scene, outcome) = play(furnish, &calls);
    let told = results(&scene, &outcome);
    assert_eq!(statuses(&outcome), ["ok"; 4], "{told:#?}");
}

#[test]
fn a_repository_above_the_opened_folder_counts() {
    let hooks = |house: &House| {
        house.write(".git/config", "[core]\n\thooksPath = sub/tools\n");
        house.write("sub/tools/x", MINE);
    };
    assert_kept("hooksPath above", &hooks, "sub", "tools/x");
    let link = |house: &House| {
        house.write("sub/x.sh", MINE);
        fs::create_dir_all(house.work().join(".git/hooks")).unwrap();
        symlink("../../sub/x.sh", house.work().join(".git/hooks/pre-commit")).unwrap();
    };
    assert_kept("a hook above", &link, "sub", "x.sh");
    let tree = |house: &House| {
        house.write("main/.git/config", "[core]\n\thooksPath = tools\n");
        house.write("main/.git/worktrees/t/commondir", "../..\n");
        house.write("tree/.git", "gitdir: ../main/.git/worktrees/t\n");
        house.write("tree/tools/x", MINE);
    };
    assert_kept("a linked work tree", &tree, "tree", "tools/x");
    // Where the folder itself is what git is told, nothing in it is written.
    let house = House::new();
    hooks(&house);
    let (house, outcome, told) =
        after(house, "sub/tools", &[write("x"), shell("echo planted > x")]);
    assert_eq!(statuses(&outcome)[0], "denied", "{told}");
    assert_eq!(house.read("sub/tools/x"), MINE, "{told}");
}

#[test]
fn a_work_tree_that_lies_elsewhere_counts() {
    for (configuration, file) in [
        ("\tfsmonitor = ./x\n", "tree/x"),
        ("\thooksPath = hooks\n", "tree/hooks/x"),
        ("\tpager = later/x\n", "tree/later/x"),
    ] {
        let furnish = |house: &House| {
            let configuration = format!("[core]\n\tworktree = ../tree\n{configuration}");
            house.write(".git/config", &configuration);
            house.write("tree/x", MINE);
            house.write("tree/hooks/x", MINE);
        };
        assert_kept(configuration, &furnish, ".", file);
    }
    // A repository without a folder of its own.
    let bare = |house: &House| {
        house.write("store/HEAD", "ref: refs/heads/x\n");
        house.write("store/objects/a", "");
        house.write("store/refs/a", "");
        let configuration = "[core]\n\tworktree = ../tree\n\tfsmonitor = ./x\n";
        house.write("store/config", configuration);
        house.write("tree/x", MINE);
    };
    assert_kept("a bare repository", &bare, ".", "tree/x");
    assert_kept("a bare repository", &bare, ".", "store/config");
}

#[test]
fn a_configuration_that_is_too_long_frees_nothing() {
    let padding = |bytes: usize| format!("{}\n", "# x".repeat(bytes / 3));
    // More than git's own readers of other files take, and read to its end.
    for (what, bytes) in [("long", 2 << 20), ("too long", 9 << 20)] {
        let furnish = |house: &House| {
            let text = format!("{}[core]\n\tfsmonitor = ./x\n", padding(bytes));
            house.write("one/.git/config", &text);
            house.write("one/x", MINE);
        };
        assert_kept(what, &furnish, ".", "one/x");
    }
    let included = |house: &House| {
        let more = "[include]\n\tpath = ../more\n";
        house.write("one/.git/config", more);
        let text = format!("{}[core]\n\tfsmonitor = ./x\n", padding(9 << 20));
        house.write("one/more", &text);
        house.write("one/x", MINE);
    };
    assert_kept("an include", &included, ".", "one/x");
    let many = |house: &House| {
        let aliases = (0..60_000).map(|n| format!("\ta{n} = !tools/{n} a b c\n"));
        let text = format!("[alias]\n{}\tz = !./x\n", aliases.collect::<String>());
        house.write("one/.git/config", &text);
        house.write("one/x", MINE);
    };
    assert_kept("many aliases", &many, ".", "one/x");
    // Who asks is told why.
    let furnish = |house: &House| {
        house.write(".git/config", padding(9 << 20));
        house.write("beside/.git/config", "[core]\n\tbare = false\n");
    };
    let calls = [write("a.txt"), shell("true")];
    let (scene, outcome) = play(furnish, &calls);
    let told = results(&scene, &outcome);
    assert_eq!(statuses(&outcome), ["denied", "failed"], "{told:#?}");
    let shown = format!("{:#}", outcome.summary);
    assert!(
        shown.contains("too long to be read"),
        "{shown} {}",
        outcome.finished.stderr
    );
}

/// Repositories as plain files of a project, each configured to run what these words name.
fn bare(house: &House, count: usize, words: usize) {
    let words: String = (0..words).map(|n| format!(" w{n}/x")).collect();
    for number in 0..count {
        let at = |name: &str| format!("others/r{number}/{name}");
        house.write(&at("HEAD"), "ref: refs/heads/main\n");
        house.write(&at("objects/info/x"), "");
        house.write(&at("refs/heads/x"), "");
        house.write(&at("config"), format!("[alias]\n\ta = !{words}\n"));
    }
}

#[test]
fn many_repositories_with_long_configuration_close_themselves_alone() {
    let edit = (
        "edit_file",
        json!({"path": "a.txt", "old": MINE, "new": ""}),
    );
    let plant = format!("for r in others/*; do echo {PLANTED} > $r/new; done; echo hello");
    // As few as fit are read to their end, and so are many that say little. Those take a small part
    // of the time that a look may take, so that a machine at work reads them as well.
    for (count, words, closes) in [(2, 2_000, false), (15, 20_000, true), (100, 10, false)] {
        let furnish = |house: &House| {
            bare(house, count, words);
            house.write("a.txt", MINE);
            house.write(".git/config", "[alias]\n\ta = log\n");
        };
        let (scene, outcome) = play(furnish, &[edit.clone(), shell(&plant)]);
        let told = results(&scene, &outcome);
        assert_eq!(statuses(&outcome), ["ok", "ok"], "{count}: {told:#?}");
        assert!(told[1].contains("hello"), "{count}: {told:#?}");
        let closed = (0..count).map(|number| format!("others/r{number}"));
        let closed: Vec<String> = closed
            .filter(|folder| !scene.house.has(&format!("{folder}/new")))
            .collect();
        assert_eq!(!closed.is_empty(), closes, "{closed:?} {told:#?}");
        let is_named = closed.iter().any(|folder| told[1].contains(folder));
        let is_told = told[1].contains("too long to be read to its end") && is_named;
        assert_eq!(is_told, closes, "{told:#?}");
        if closes {
            // A look may come further the next time: not each of them need be closed again. Those that
            // it comes to last are.
            let last = closed.iter().rev().take(4);
            let writes = last.map(|folder| write(&format!("{folder}/new")));
            let scene = recast(scene.house, &writes.collect::<Vec<_>>());
            let outcome = scene.run(&[&OPEN[..], &["do it"]].concat());
            assert!(statuses(&outcome).contains(&"denied"));
            let told = format!("{:#}", outcome.summary);
            assert!(told.contains("too long to be read"), "{told}");
        }
    }
}

#[test]
fn what_links_of_the_home_lead_to_is_protected() {
    let table = [
        (".bashrc", "bashrc"),
        (".gitconfig", "gitconfig"),
        (".tmux.conf", "tmux"),
        (".config/fish/config.fish", "fish/config.fish"),
        (".config/systemd/user/x.service", "x.service"),
        (".ssh/authorized_keys", "authkeys"),
        (".config/Code/User/settings.json", "vscode.json"),
        (".taskrc", "taskrc"),
    ];
    for (link, file) in table {
        let furnish = |house: &House| {
            let goal = house.write(file, MINE);
            let link = house.home().join(link);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(goal, link).unwrap();
        };
        assert_kept(link, &furnish, ".", file);
    }
    let whole_folder = |house: &House| {
        house.write("config/fish/config.fish", MINE);
        symlink(house.work().join("config"), house.home().join(".config2")).unwrap();
        symlink("../.config2/fish", house.home().join(".config/fish")).unwrap();
    };
    let prepared = |house: &House| {
        fs::create_dir_all(house.home().join(".config")).unwrap();
        whole_folder(house);
    };
    assert_kept("a folder", &prepared, ".", "config/fish/config.fish");
    let included = |house: &House| {
        let inner = house.write("more", "[alias]\n\tx = log\n");
        let text = format!("[include]\n\tpath = {}\n", inner.display());
        fs::write(house.home().join(".gitconfig"), text).unwrap();
    };
    assert_kept("an include of ~/.gitconfig", &included, ".", "more");
}

#[test]
fn what_our_own_settings_lead_to_is_protected() {
    let furnish = |house: &House| {
        let settings = house.home().join(".config/housecarl");
        fs::create_dir_all(&settings).unwrap();
        house.write("dotfiles/notes.md", "Be brief.\n");
        house.write("dotfiles/agents/card.md", "mine\n");
        let at = |name: &str| house.work().join("dotfiles").join(name);
        symlink(at("notes.md"), settings.join("AGENTS.md")).unwrap();
        symlink(at("agents"), settings.join("kept-elsewhere")).unwrap();
    };
    for file in ["dotfiles/notes.md", "dotfiles/agents/card.md"] {
        assert_kept("own settings", &furnish, "", file);
    }
}

#[test]
fn a_repository_that_leads_out_is_not_moved() {
    let furnish = |house: &House| {
        for name in ["a/scripts/x.sh", "b/scripts/x.sh", "a/whole/tools/x.sh"] {
            house.write(name, MINE);
        }
        let work = house.work();
        for (repository, goal) in [
            ("a/repo", "../../../scripts/x.sh"),
            ("a/whole", "../../tools/x.sh"),
        ] {
            let hooks = work.join(repository).join(".git/hooks");
            fs::create_dir_all(&hooks).unwrap();
            symlink(goal, hooks.join("pre-commit")).unwrap();
        }
        house.write("a/named/.git/config", "[core]\n\thooksPath = ../scripts\n");
    };
    let to_b = |name: &str| {
        let arguments = json!({"from": format!("a/{name}"), "to": format!("b/{name}")});
        ("move_file", arguments)
    };
    let calls = [
        write("b/scripts/x.sh"),
        to_b("repo"),
        to_b("named"),
        to_b("whole"),
    ];
    let (scene, outcome) = play(furnish, &calls);
    let told = results(&scene, &outcome);
    let wanted = ["ok", "denied", "denied", "ok"];
    assert_eq!(statuses(&outcome), wanted, "{told:#?}");
    // Nor does a command: a copy of it is set aside.
    let script = format!("echo {PLANTED} > b/scripts/x.sh; mv a/repo b/repo; true");
    let (scene, outcome) = play(furnish, &[shell(&script)]);
    let told = results(&scene, &outcome);
    let hooks = scene.house.work().join("a/repo/.git/hooks/pre-commit");
    assert!(
        hooks.is_symlink() && !scene.house.has("b/repo/.git"),
        "{told:?}"
    );
}

#[test]
fn a_deep_folder_shuts_itself_and_nothing_else() {
    let furnish = |house: &House| {
        fs::create_dir_all(house.work().join("deep/".repeat(DEEP))).unwrap();
    };
    // The command comes first: what a tool told questions it.
    let calls = [
        shell("echo mine > b.txt"),
        write("a.txt"),
        ("make_dir", json!({"path": "d/".repeat(DEEP)})),
        ("make_dir", json!({"path": "d/d/d"})),
        write(&format!("{}x", "deep/".repeat(DEEP))),
    ];
    let (scene, outcome) = play(furnish, &calls);
    let told = results(&scene, &outcome);
    let wanted = ["ok", "ok", "denied", "ok", "denied"];
    assert_eq!(statuses(&outcome), wanted, "{told:#?}");
    assert!(scene.house.has("b.txt"), "{told:#?}");
}

#[test]
fn what_git_names_and_is_missing_is_put_behind_no_link() {
    let house = House::new();
    house.write(
        ".git/config",
        "[core]\n\tfsmonitor = tools/x.sh\n\thooksPath = ci/hooks\n",
    );
    house.write(".git/HEAD", "ref: refs/heads/main\n");
    let script = "mkdir -p real/hooks; echo planted > real/x.sh; echo planted > real/hooks/h; \
                  ln -s real tools; ln -s real ci; ln -s real plain; true";
    let scene = recast(house, &[shell(script)]);
    let outcome = scene.run(&[&OPEN[..], &["do it"]].concat());
    let told = results(&scene, &outcome).concat();
    assert!(
        !scene.house.has("tools") && !scene.house.has("ci"),
        "{told}"
    );
    assert!(scene.house.has("plain/x.sh"), "{told}");
}
