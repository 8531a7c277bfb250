//! Parts of files and of given data, to a tiny model: told by rules or refused, and no model is asked.

use scenarios::Scene;
use testkit::{Finished, Reply};

const LOG: &str =
    "03:00:00 INFO start\n03:30:00 ERROR disk\n04:00:00 WARN slow\n04:30:00 ERROR net\n";

fn scene() -> Scene {
    let scene = Scene::of_class("tiny", [Reply::text("made up")]);
    scene.house.write("app.log", LOG);
    scene.house.write("app.env", "DB=1\nDB_PASSWORD=hush\n");
    scene
}

fn tell(scene: &Scene, says: &str) -> Finished {
    let open = ["run", "--allow-write", ".", "--yes", "write"];
    scene.house.ask(open).arg(says).run()
}

#[test]
fn a_value_that_begins_with_a_star_is_replaced_whole() {
    let scene = scene();
    let timer = "[Timer]\nOnCalendar=*-*-* 03:15:00\n";
    scene.house.write("backup.timer", timer);
    tell(&scene, "set OnCalendar to weekly in backup.timer").expect(0);
    let after = scene.house.read("backup.timer");
    assert_eq!(after, "[Timer]\nOnCalendar=weekly\n");
}

#[test]
fn what_is_to_be_left_out_is_not_shown() {
    let scene = scene();
    for says in [
        "show app.env without the passwords",
        "print app.env but not the passwords",
    ] {
        let done = tell(&scene, says);
        assert_ne!(done.code, Some(0), "{done:#?}");
        assert!(!done.stdout.contains("hush"), "{done:#?}");
        assert!(done.stderr.contains("nothing was shown"), "{done:#?}");
    }
    // The line that the refusal names, also where a name has the word within.
    for says in [
        "show the lines without PASSWORD in app.env",
        "lines without password in app.env",
    ] {
        let done = tell(&scene, says).expect(0);
        assert!(
            done.stdout.contains("DB=1") && !done.stdout.contains("hush"),
            "{done:#?}"
        );
    }
    assert!(scene.server.chats().is_empty());
}

/// The model's plan reads the file whole, as a small one does.
#[test]
fn one_setting_that_is_to_be_shown_is_told_alone() {
    let plan = r#"{"intent":"show it","actions":[{"kind":"read_file","path":"app.env"}]}"#;
    let scene = Scene::of_class("tiny", [Reply::text(plan)]);
    scene.house.write("app.env", "DB=1\nDB_PASSWORD=hush\n");
    let done = tell(&scene, "show DB in app.env").expect(0);
    assert!(done.stdout.contains("`DB` is 1"), "{done:#?}");
    assert!(!done.stdout.contains("hush"), "{done:#?}");
}

#[test]
fn a_condition_on_lines_is_never_dropped() {
    let scene = scene();
    for (says, told) in [
        ("how many WARN and ERROR lines in app.log", "3 lines with"),
        (
            "how many lines between 03:00 and 04:00 in app.log",
            "2 lines with",
        ),
        ("count lines without INFO in app.log", "3 lines without"),
        ("show the last line with ERROR in app.log", "4: 04:30:00"),
        ("show lines in app.log that are not INFO", "3 lines without"),
        ("which lines in app.log mention slow?", "1 line with"),
    ] {
        let done = tell(&scene, says).expect(0);
        assert!(done.stdout.contains(told), "{says}: {done:#?}");
        assert!(
            !done.stdout.contains("1: 03:00:00") || says.contains("between"),
            "{done:#?}"
        );
    }
    let refused = tell(&scene, "lines with more than 5 words in app.log");
    assert_ne!(refused.code, Some(0), "{refused:#?}");
    assert!(scene.server.chats().is_empty());
}

#[test]
fn given_data_is_told_by_rules_or_refused() {
    let scene = scene();
    for (says, told) in [
        (
            "show the last 2 lines",
            "3: 04:00:00 WARN slow\n  4: 04:30:00 ERROR net\n",
        ),
        ("count the lines", "4 lines in the data"),
        ("which lines have ERROR?", "2 lines with `ERROR`"),
    ] {
        let asked = scene.house.ask(["run", says, "--input", "-"]);
        let done = asked.stdin(LOG).run().expect(0);
        assert!(done.stdout.contains(told), "{says}: {done:#?}");
        assert!(!done.stdout.contains("TOOL_RESULT"), "{done:#?}");
    }
    let asked = scene.house.ask(["run", "translate this", "--input", "-"]);
    let refused = asked.stdin(LOG).run();
    assert_ne!(refused.code, Some(0), "{refused:#?}");
    assert!(refused.stderr.contains("do not know"), "{refused:#?}");
    assert!(scene.server.chats().is_empty());
}
