//! Files that stay sound: edits by rules that would spoil one, and orders that are offered to be pasted.

use serde_json::Value;
use testkit::House;

fn tell(house: &House, says: &str, code: i32) -> Value {
    let run = house.ask(["run", "--json", "--mode", "deterministic"]);
    let run = run.args(["--allow-write", ".", "--yes", "write", says]);
    run.run().expect(code).json()
}

#[test]
fn an_edit_that_would_spoil_a_file_is_asked_back() {
    let house = House::new();
    for (path, text, says, told) in [
        (
            "people.csv",
            "name,role,age\nAnna,Lead,31\n",
            "append \"Eve,Boss\" to people.csv",
            "the header is `name,role,age`",
        ),
        (
            "a.yaml",
            "a: 1\nb:\n  - x\n",
            "append \"milk\" to a.yaml",
            "would not be sound yaml",
        ),
        (
            "app.env",
            "A=1\n",
            "append \"two words\" to app.env",
            "would not be sound env",
        ),
        (
            "a.toml",
            "a = 1\n",
            "append \"milk\" to a.toml",
            "would not be sound toml",
        ),
    ] {
        house.write(path, text);
        let summary = tell(&house, says, 4);
        assert!(summary.to_string().contains(told), "{says}: {summary:#}");
        assert_eq!(house.read(path), text, "{says}");
    }
    house.write("new.csv", "");
    tell(&house, "append \"name,age\" to new.csv", 0);
    tell(&house, "append \"a,b\" to other.csv", 0);
}

#[test]
fn what_is_offered_can_be_pasted_and_a_protected_file_is_not_offered() {
    let house = House::new();
    house.write("a.toml", "# level = \"info\"\nname = \"x\"\n");
    let told = tell(&house, "set level to debug in a.toml", 4);
    let hint = told["error"]["hint"].as_str().unwrap_or_default();
    let offer = hint.strip_prefix("Try: ").unwrap();
    tell(&house, offer, 0);
    assert_eq!(house.read("a.toml"), "level = \"debug\"\nname = \"x\"\n");
    // Of two orders none is done where one is refused: what is offered is of the file as it is.
    house.write("b.toml", "a = 1\n[x]\np = 1\n[y]\np = 2\n");
    let says = "insert \"b = 2\" at the top of b.toml then set p to 3 in b.toml";
    let told = tell(&house, says, 4);
    let hint = told["error"]["hint"].as_str().unwrap_or_default();
    assert!(!hint.contains("replace line"), "{told:#}");
    house.write(".env", "A=1\n");
    let told = tell(&house, "append \"B=1\" and \"C=2\" to .env", 4);
    let hint = told["error"]["hint"].as_str().unwrap_or_default();
    assert!(
        hint.contains("protected") && !hint.contains("append"),
        "{told:#}"
    );
}
