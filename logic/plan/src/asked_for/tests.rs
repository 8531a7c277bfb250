//! What a plan may do that was asked for, and what it may not.

use super::*;

fn plan(action: Action) -> Plan {
    Plan {
        intent: "do it".to_owned(),
        actions: vec![action],
    }
}

#[test]
fn words_without_a_verb_are_not_answered_with_a_file() {
    let shown = |request: &str, path: &str| {
        let read = plan(Action::ReadFile {
            path: path.to_owned(),
        });
        not_understood(&read, request)
    };
    for (request, path) in [
        ("maxconn 4000 in haproxy.cfg", "haproxy.cfg"),
        ("errors per hour in logs/app.log", "logs/app.log"),
        (
            "use redis instead of memory as backend in app.ini",
            "app.ini",
        ),
        ("limit memory of the backup to 2G", "systemd/backup.service"),
        ("now the same in Caddyfile", "Caddyfile"),
    ] {
        let fault = shown(request, path).unwrap_or_else(|| panic!("{request}"));
        assert!(
            fault.hint.ends_with(&format!("show {path}")),
            "{request}: {fault:?}"
        );
    }
    for (request, path) in [
        ("notes.md", "notes.md"),
        ("the file notes.md please", "notes.md"),
        ("the license of this project", "LICENSE"),
        ("the backup service", "systemd/backup.service"),
        ("show the notes of March in notes.md", "notes.md"),
        ("what is the maxconn of haproxy.cfg", "haproxy.cfg"),
    ] {
        assert_eq!(shown(request, path), None, "{request}");
    }
}

#[test]
fn a_change_of_what_was_not_named_is_refused_and_looking_is_not() {
    let path = || "src/target".to_owned();
    let made = plan(Action::MakeDir { path: path() });
    let fault = not_requested(&made, "Write a .gitignore with the line out/").unwrap();
    assert_eq!(fault.code, "plan.not_requested");
    assert!(not_requested(&made, "make the folder target").is_none());
    // What `it` means is of the conversation, in which such a model loses its way.
    assert!(not_requested(&made, "delete it again").is_some());
    // A path that is named as a whole is named.
    let made = plan(Action::MakeDir { path: path() });
    assert!(not_requested(&made, "make src/target").is_none());
    assert!(not_requested(&made, "make other/target").is_some());
    let path = || "LICENCE.txt".to_owned();
    let deleted = plan(Action::DeleteFile { path: path() });
    assert!(not_requested(&deleted, "delete the licence file").is_none());
    assert!(not_requested(&deleted, "delete the old file").is_some());
    for says in [
        "please take the name Tom out of LICENCE.txt",
        "LICENCE.txt is old, delete it if nobody uses it",
    ] {
        assert!(not_requested(&deleted, says).is_some(), "{says}");
    }
    let order = "Add a line on Anna to LICENCE.txt";
    let added = |content: &str| {
        plan(Action::AppendText {
            path: path(),
            content: content.to_owned(),
        })
    };
    assert!(not_requested(&added(order), order).is_some());
    assert!(not_requested(&added("add a line on Anna"), order).is_some());
    assert!(not_requested(&added("Anna"), order).is_none());
    let looked = plan(Action::ListFiles { path: path() });
    assert!(not_requested(&looked, "what is here?").is_none());
    assert!(not_requested(&plan(Action::Undo {}), "take that back").is_none());
    for says in [
        "undo everything",
        "undo my last two changes",
        "undo the change to a.txt",
    ] {
        assert!(
            not_requested(&plan(Action::Undo {}), says).is_some(),
            "{says}"
        );
    }
}

#[test]
fn nothing_is_taken_back_or_cut_out_of_what_was_typed() {
    let undo = plan(Action::Undo {});
    assert!(not_requested(&undo, "make a backup of novel.md").is_some());
    assert!(not_requested(&undo, "back up novel.md").is_some());
    assert!(not_requested(&undo, "put it back as it was").is_none());
    let added = |content: &str| {
        plan(Action::AppendText {
            path: "s.toml".to_owned(),
            content: content.to_owned(),
        })
    };
    assert!(not_requested(&added("2"), "add version = \"2\" to s.toml").is_some());
    assert!(not_requested(&added("b"), "add \"b\": 2 to s.toml").is_some());
    assert!(not_requested(&added("b = 2"), "add \"b = 2\" to s.toml").is_none());
    assert!(not_requested(&added("x"), "put \"x\" before y in s.toml").is_some());
    assert!(spoils(&added("2"), "s.toml", "version = \"1\"\n").is_some());
    assert!(spoils(&added("b = 2"), "s.toml", "version = \"1\"\n").is_none());
}

#[test]
fn an_order_that_nobody_understood_is_not_answered_with_a_look() {
    let look = plan(Action::ReadFile {
        path: "a.txt".to_owned(),
    });
    for says in [
        "delete the last line of a.txt",
        "translate a.txt to English",
        "run the tests",
        "show the git log",
    ] {
        assert!(not_understood(&look, says).is_some(), "{says}");
    }
    for says in [
        "check off \"draw the map\" in a.txt",
        "count the mistakes",
        "check the spelling",
        "review a.txt",
    ] {
        assert!(not_understood(&look, says).is_some(), "{says}");
    }
    let counted = |path: &str| {
        plan(Action::CountLines {
            path: path.to_owned(),
        })
    };
    assert!(not_understood(&counted("a.txt"), "count the words in a.txt").is_none());
    assert!(not_understood(&counted("b.txt"), "count the errors").is_some());
    assert!(not_understood(&look, "grade chapter 3").is_some());
    let licence = plan(Action::ReadFile {
        path: "LICENCE.txt".to_owned(),
    });
    assert!(not_understood(&licence, "the licence of this project").is_none());
    assert!(not_understood(&look, "what does a.txt say?").is_none());
    assert!(not_understood(&look, "show a.txt").is_none());
    let written = plan(Action::CreateFile {
        path: "verse.txt".to_owned(),
        content: "x".to_owned(),
    });
    let says = "write a poem into a new file verse.txt";
    assert!(not_understood(&written, says).is_none());
    let says = "create verse.txt with an outline of the novel";
    assert!(not_understood(&written, says).is_some());
    let says = "write a poem into a new file verse.txt and show the rows where status is final";
    let told = not_understood(&written, says).unwrap().message;
    assert!(
        told.contains("nothing for `show the rows where status is final`"),
        "{told}"
    );
}

#[test]
fn a_change_that_the_request_does_not_speak_of_is_refused() {
    let text = |text: &str| text.to_owned();
    let refuses =
        |action: &Action, request: &str| not_requested(&plan(action.clone()), request).is_some();
    let moved = |to: &str| Action::MoveFile {
        from: text("notes-2022.txt"),
        to: text(to),
    };
    let request = "notes-2022.txt can go into the archive folder";
    assert!(refuses(&moved("archive-notes-2021.txt"), request));
    assert!(!refuses(&moved("archive/notes-2022.txt"), request));
    let request = "notes-2022.txt can go to a new folder called lists";
    assert!(refuses(&moved("lists"), request));
    let renamed = "rename notes-2022.txt to old.txt";
    assert!(!refuses(&moved("old.txt"), renamed));
    let made = |path: &str| Action::CreateFile {
        path: text(path),
        content: text("x"),
    };
    let request = "a new folder called invoices, and in it a file march.md";
    assert!(refuses(&made("march.md"), request));
    assert!(!refuses(&made("invoices/march.md"), request));
    assert!(!refuses(&made("march.md"), "make march.md in this folder"));
    let added = |path: &str, content: &str| Action::AppendText {
        path: text(path),
        content: text(content),
    };
    assert!(refuses(
        &added("notes.txt", "x"),
        "put a copy of notes.txt one level up"
    ));
    assert!(!refuses(
        &added("notes.txt", "x"),
        "add a rhyme to notes.txt"
    ));
    assert!(refuses(
        &added("runs.csv", "1,2"),
        "add today's run to runs.csv"
    ));
    assert!(!refuses(&added("runs.csv", "8,47"), "add 8,47 to runs.csv"));
}

#[test]
fn half_of_two_orders_and_names_that_are_mere_words_are_refused() {
    let text = |text: &str| text.to_owned();
    let refuses =
        |action: &Action, request: &str| not_requested(&plan(action.clone()), request).is_some();
    let moved = |to: &str| Action::MoveFile {
        from: text("notes-2022.txt"),
        to: text(to),
    };
    let made = |path: &str| Action::CreateFile {
        path: text(path),
        content: text("x"),
    };
    let settings = "move notes-2022.txt into docs and enable ssl in settings.toml";
    assert!(refuses(&moved("docs/settings.toml"), settings));
    assert!(!refuses(
        &moved("docs/notes.txt"),
        "move notes-2022.txt to docs/notes.txt"
    ));
    let both = "move notes-2022.txt to lists and old.txt to archive";
    assert!(refuses(&moved("lists/notes-2022.txt"), both));
    assert!(refuses(
        &moved("title"),
        "rename notes-2022.txt to its title"
    ));
    assert!(refuses(&made("three"), "create three files"));
    let folder = |path: &str| Action::MakeDir { path: text(path) };
    assert!(refuses(&folder("month"), "create a folder for each month"));
    for says in [
        "a folder called month please",
        "put it in the month folder",
        "a new folder \"month\"",
    ] {
        assert!(!refuses(&folder("month"), says), "{says}");
    }
}

#[test]
fn a_part_of_a_file_is_not_its_end() {
    let added = plan(Action::AppendText {
        path: "docs/todo.md".to_owned(),
        content: "Jonas".to_owned(),
    });
    for says in [
        "add call Jonas to this week in docs/todo.md",
        "add Jonas to the list in docs/todo.md",
        "add \"Jonas\" to Later in todo.md",
        "add Jonas to the fixes of 0.3.2 in docs/todo.md",
        "put Jonas under Later in docs/todo.md",
        "add Jonas to the tags of docs/todo.md",
    ] {
        assert!(not_requested(&added, says).is_some(), "{says}");
    }
    for says in [
        "add Jonas to docs/todo.md",
        "add Jonas to the end of docs/todo.md",
        "add Jonas to the bottom of the list in docs/todo.md",
        "add \"Jonas goes to Bern in May\" to docs/todo.md",
        "write Jonas into the file in docs/todo.md",
    ] {
        assert!(not_requested(&added, says).is_none(), "{says}");
    }
}

#[test]
fn a_place_said_in_another_language_is_not_the_end() {
    let added = plan(Action::AppendText {
        path: "a.md".to_owned(),
        content: "Hola".to_owned(),
    });
    for says in [
        "inserta \"Hola\" debajo del título en a.md",
        "añade \"Hola\" después de uno en a.md",
        "füge \"Hola\" in Zeile 2 von a.md ein",
        "add \"Hola\" on line 3 of a.md",
    ] {
        assert!(not_requested(&added, says).is_some(), "{says}");
    }
    for says in ["añade la línea \"Hola\" a a.md", "add Hola to a.md"] {
        assert!(not_requested(&added, says).is_none(), "{says}");
    }
    let inside = plan(Action::AppendText {
        path: "a.md".to_owned(),
        content: "vor dem Haus".to_owned(),
    });
    assert!(not_requested(&inside, "füge \"vor dem Haus\" zu a.md").is_none());
}

#[test]
fn a_file_named_without_its_ending_is_not_left_out() {
    let here = ["a1.md", "chapter2.md", "chapter3.md"].map(str::to_owned);
    let added = plan(Action::AppendText {
        path: "chapter2.md".to_owned(),
        content: "x".to_owned(),
    });
    let left = |says: &str| not_of_its_files(&added, says, &here).map(|fault| fault.message);
    let told = left("append \"x\" to chapter2 and chapter3");
    assert!(told.is_some_and(|told| told.contains("nothing for `chapter3.md`")));
    assert_eq!(left("append \"x\" to chapter2"), None);
    let moved = plan(Action::MoveFile {
        from: "chapter2.md".to_owned(),
        to: "chapter3.md".to_owned(),
    });
    let says = "rename Piet to Pieter in chapter2, chapter3";
    assert!(not_of_its_files(&moved, says, &here).is_some());
}

#[test]
fn a_replacement_is_of_words_that_were_said() {
    let text = |text: &str| text.to_owned();
    let refuses =
        |action: &Action, request: &str| not_requested(&plan(action.clone()), request).is_some();
    let replaced = |old: &str, new: &str| Action::ReplaceText {
        path: text("faq.md"),
        old: text(old),
        new: text(new),
    };
    let request = "i misspelled receive as \"recieve\" in faq.md, fix it";
    assert!(refuses(&replaced("i", "reject"), request));
    assert!(!refuses(&replaced("recieve", "receive"), request));
}

#[test]
fn a_file_is_not_moved_for_a_text_in_it() {
    let moved = |from: &str, to: &str| {
        plan(Action::MoveFile {
            from: from.to_owned(),
            to: to.to_owned(),
        })
    };
    for (request, from, to) in [
        (
            "move \"Find an agent\" to This week in todo.md",
            "todo.md",
            "This week in todo.md",
        ),
        (
            "move \"see Later\" to Top in notes.md",
            "notes.md",
            "top.md",
        ),
        ("in todo.md move \"mow\" to Later", "todo.md", "later.md"),
        (
            "move \"mow\" in docs/todo.md to later",
            "docs/todo.md",
            "later/todo.md",
        ),
        ("move \"mow\" to later, todo.md", "todo.md", "later/todo.md"),
        ("rename Tom to Tim in novel.md", "novel.md", "tim.md"),
        ("move todo.md to the top of the week", "todo.md", "week.md"),
    ] {
        assert!(
            not_requested(&moved(from, to), request).is_some(),
            "{request}"
        );
    }
    for (request, from, to) in [
        ("rename todo.md to week.md", "todo.md", "week.md"),
        (
            "rename \"todo.md\" to \"this week.md\"",
            "todo.md",
            "this week.md",
        ),
        ("rename todo.md to \"week\"", "todo.md", "week.md"),
        ("move todo.md to \"docs\"", "todo.md", "docs/todo.md"),
        (
            "move docs/todo.md to old/week.md",
            "docs/todo.md",
            "old/week.md",
        ),
        ("rename the todo file to week", "todo.md", "week.md"),
    ] {
        let fault = not_requested(&moved(from, to), request);
        assert_eq!(fault, None, "{request}");
    }
}
