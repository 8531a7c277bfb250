//! Orders in plain English, without a model: titles as names, documents, folders, and what is said
//! where it does not work.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use testkit::{Finished, House};

fn order(house: &House, say: &str) -> Finished {
    let run = house.ask(["run", "--mode", "deterministic", "--allow-write", "."]);
    run.args(["--yes", "write", "--yes", "destructive", say])
        .run()
}

fn told(finished: &Finished) -> String {
    format!("{}{}", finished.stdout, finished.stderr)
}

#[test]
fn a_quoted_title_is_a_name_whatever_marks_it_has() {
    let house = House::new();
    house.write("[Entwurf] Kap.md", "Marie kam an.\n");
    house.write("Was nun?.md", "Nichts.\n");
    house.write("Kapitel/eins.md", "Der Anfang.\n");
    let shown = order(&house, "show \"[Entwurf] Kap.md\"").expect(0).stdout;
    assert!(shown.contains("Marie kam an."), "{shown}");
    let found = order(&house, "find files named \"[Entwurf] Kap.md\"").expect(0);
    assert!(found.stdout.contains("1 file"), "{}", found.stdout);
    order(
        &house,
        "replace \"Marie\" with \"Anna\" in \"[Entwurf] Kap.md\"",
    )
    .expect(0);
    assert_eq!(house.read("[Entwurf] Kap.md"), "Anna kam an.\n");
    let title = "Kapitel/Kapitel 1: Der Anfang?.md";
    order(
        &house,
        &format!("rename \"Kapitel/eins.md\" to \"{title}\""),
    )
    .expect(0);
    assert_eq!(house.read(title), "Der Anfang.\n");
    order(&house, "delete \"Was nun?.md\"").expect(0);
    assert!(!house.has("Was nun?.md"));
    let refused = told(&order(&house, "delete \"*.md\""));
    assert!(refused.contains("may mean many files"), "{refused}");
    let refused = told(&order(&house, "rename Kapitel/eins?.md to zwei.md"));
    assert!(
        refused.contains("In quotes `?` and `[` are part of a name"),
        "{refused}"
    );
}
