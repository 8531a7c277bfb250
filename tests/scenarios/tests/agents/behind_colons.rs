//! Texts behind the colon of an order, which are written as they stand.

use scenarios::Scene;
use testkit::{House, Reply};

fn order(house: &House, says: &str) -> testkit::Finished {
    let run = house.ask(["run", "--allow-write", ".", "--yes", "write"]);
    run.arg(says).run()
}

#[test]
fn a_text_behind_a_colon_is_written_whatever_signs_it_has() {
    let scene = Scene::of_class("tiny", []);
    let house = &scene.house;
    for (file, says, added) in [
        (
            "a.md",
            "append to a.md: Where was Jonas?",
            "Where was Jonas?",
        ),
        (
            "a.md",
            "append to a.md: \"Come in,\" she said.",
            "\"Come in,\" she said.",
        ),
        (
            "a.md",
            "could you add to the end of a.md: \"Who's there?\" he asked?",
            "\"Who's there?\" he asked?",
        ),
        (
            "b.csv",
            "append to b.csv: 3,\"Smith, J\",ok",
            "3,\"Smith, J\",ok",
        ),
        ("a.md", "append to a.md: \"one\"", "one"),
    ] {
        let before = match file {
            "b.csv" => "id,name,state\n",
            _ => "first\n",
        };
        house.write(file, before);
        order(house, says).expect(0);
        assert_eq!(house.read(file), format!("{before}{added}\n"), "{says}");
    }
    // So is one that goes to a place.
    house.write("a.md", "first\nlast\n");
    order(house, "insert after line 1 of a.md: \"Why?\" he asked.").expect(0);
    order(house, "replace line 3 of a.md with: The \"last\" one?").expect(0);
    let after = "first\n\"Why?\" he asked.\nThe \"last\" one?\n";
    assert_eq!(house.read("a.md"), after);
    // What joins orders is asked back still, with what can be pasted.
    house.write("a.md", "first\n");
    let said = order(house, "append to a.md: \"Come in,\" she said; he did.").expect(4);
    let told = said.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let offer = "append to a.md: '\"Come in,\" she said; he did.'";
    assert!(told.contains(offer), "{told}");
    assert_eq!(house.read("a.md"), "first\n");
    order(house, offer).expect(0);
    assert_eq!(
        house.read("a.md"),
        "first\n\"Come in,\" she said; he did.\n"
    );
    assert!(scene.server.chats().is_empty());
}

#[test]
fn a_question_with_a_colon_stays_a_question() {
    let scene = Scene::of_class("tiny", [Reply::text("It is open.")]);
    scene.house.write("a.md", "The gate is open.\n");
    let said = order(&scene.house, "what does a.md say: is the gate open?").expect(0);
    assert!(said.stdout.contains("The gate is open."), "{said:?}");
    assert_eq!(scene.house.read("a.md"), "The gate is open.\n");
}

#[test]
fn several_texts_for_one_file_are_offered_one_by_one() {
    let house = House::new();
    house.write("a.md", "first\n");
    let run = house.ask(["run", "--mode", "deterministic"]);
    let said = run.arg("append \"a\" and \"b\" to a.md").run().expect(4);
    let told = said.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let offer = "append \"a\" to a.md then append \"b\" to a.md";
    assert!(told.contains(offer), "{told}");
    let run = house.ask(["run", "--mode", "deterministic", "--allow-write", "."]);
    run.args(["--yes", "write", offer]).run().expect(0);
    assert_eq!(house.read("a.md"), "first\na\nb\n");
}

#[test]
fn an_article_of_a_text_stays_in_what_is_offered() {
    let house = House::new();
    house.write("f.md", "the keeper\n");
    for (says, offer) in [
        (
            "replace the keeper with a keeper in f.md",
            "replace \"the keeper\" with \"a keeper\" in f.md",
        ),
        (
            "create g.md that says The fog came. It stayed.",
            "create g.md that says \"The fog came. It stayed.\"",
        ),
    ] {
        let run = house.ask(["run", "--mode", "deterministic", "--allow-write", "."]);
        let said = run.args(["--yes", "write", says]).run().expect(4);
        let told = said.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(offer), "{says}: {told}");
        let run = house.ask(["run", "--mode", "deterministic", "--allow-write", "."]);
        run.args(["--yes", "write", offer]).run().expect(0);
    }
    assert_eq!(house.read("f.md"), "a keeper\n");
    assert_eq!(house.read("g.md").trim_end(), "The fog came. It stayed.");
}

#[test]
fn no_order_is_offered_that_changes_the_text_of_a_folder() {
    let house = House::new();
    house.write("docs/a.md", "one\n");
    let run = house.ask(["run", "--mode", "deterministic", "--allow-write", "."]);
    let said = run.args(["--yes", "write", "add \"milk\" to docs"]).run();
    let told = said.expect(4).stderr;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("`docs` is a folder") && !told.contains("to \"docs\""),
        "{told}"
    );
}
