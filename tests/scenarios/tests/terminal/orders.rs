//! Orders in plain words, by rules: on files that are named without their endings, at places that are said in
//! other languages, and undo by words.

use scenarios::Scene;
use testkit::flags::WRITES;
use testkit::{Finished, House};

fn by_rules(house: &House, task: &str, code: i32) -> Finished {
    let run = house.ask(["run", "--mode", "deterministic"]).args(WRITES);
    run.arg(task).run().expect(code)
}

fn chapters() -> House {
    let house = House::new();
    for name in ["chapter2.md", "chapter3.md", "notes.md"] {
        house.write(name, "Piet went home.\n");
    }
    house
}

#[test]
fn all_files_named_without_endings_are_changed() {
    let house = chapters();
    let order = "replace Piet with Pieter in chapter2, chapter3 and notes";
    by_rules(&house, order, 0);
    for name in ["chapter2.md", "chapter3.md", "notes.md"] {
        assert_eq!(house.read(name), "Pieter went home.\n", "{name}");
    }
    let told = by_rules(&house, "append \"Ende.\" to chapter2 and chaptr3", 4).stderr;
    assert!(told.contains("There is no file `chaptr3` here."), "{told}");
    assert_eq!(house.read("chapter2.md"), "Pieter went home.\n");
}

#[test]
fn a_place_said_in_spanish_is_where_the_text_goes() {
    let house = House::new();
    house.write("resumen.md", "uno\ndos\n");
    by_rules(&house, "inserta \"Hola\" al principio de resumen.md", 0);
    let order = "inserta \"Nota\" después de la línea 2 de resumen.md";
    by_rules(&house, order, 0);
    assert_eq!(house.read("resumen.md"), "Hola\nuno\nNota\ndos\n");
}

#[test]
fn undo_that_takes_back_the_whole_request() {
    // Where a tiny model would plan, which is not asked.
    let scene = Scene::of_class("tiny", []);
    let house = &scene.house;
    for name in ["chapter2.md", "chapter3.md", "notes.md"] {
        house.write(name, "Piet went home.\n");
    }
    house.write("first.md", "Piet\n");
    let mut seat = house.ask(["chat"]).env("TERM", "xterm").seated();
    seat.until("/help");
    for order in [
        "replace Piet with Jan in first.md",
        "replace Piet with Pieter in chapter2.md, chapter3.md and notes.md",
        "show first.md",
        "undo that",
    ] {
        seat.types(&format!("{order}\n"));
        if order.starts_with("show") {
            seat.until("Jan");
            continue;
        }
        let is_undo = order.starts_with("undo");
        let asked = seat.until(if is_undo {
            "[y]es, [n]o: "
        } else {
            "a message to the agent: "
        });
        assert!(
            !is_undo || asked.contains("take back the last 3 file changes"),
            "{asked}"
        );
        seat.types("y\n");
        seat.until(if is_undo {
            "as it was before"
        } else {
            "changed "
        });
    }
    seat.types("undo both\n");
    seat.until("`/undo` takes back the last request");
    seat.types("/quit\n");
    assert_eq!(seat.finish().code, Some(0));
    for name in ["chapter2.md", "chapter3.md", "notes.md"] {
        assert_eq!(house.read(name), "Piet went home.\n", "{name}");
    }
    assert_eq!(house.read("first.md"), "Jan\n");
}
