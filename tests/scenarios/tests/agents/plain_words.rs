//! Orders as people say them, by rules alone: items that are done, sentences, empty lines, names with spaces, and
//! what is told of files that are elsewhere and of programs.

use testkit::{Finished, House};

fn tell(house: &House, says: &str) -> Finished {
    let args = ["run", "--mode", "deterministic"];
    let open = ["--allow-write", ".", "--yes", "write"];
    house.ask(args).args(open).arg(says).run()
}

const TODO: &str = "# Todo\n- [ ] draw the map\n- [ ] call Ann\n- [x] pay rent\n";

#[test]
fn an_item_of_a_list_is_ticked_where_one_says_it() {
    let house = House::new();
    for says in [
        "check off \"draw the map\" in todo.md",
        "check off draw the map in todo.md",
        "mark \"draw the map\" as done in todo.md",
        "mark draw the map as done in todo.md",
        "tick draw the map in todo.md",
        "tick off the map in todo.md",
    ] {
        house.write("todo.md", TODO);
        tell(&house, says).expect(0);
        let ticked = TODO.replace("[ ] draw", "[x] draw");
        assert_eq!(house.read("todo.md"), ticked, "{says}");
    }
    house.write("todo.md", TODO);
    for (says, told) in [
        ("tick pay rent in todo.md", "ticked already"),
        ("tick sing in todo.md", "has no item"),
    ] {
        let refused = tell(&house, says).expect(4);
        assert!(refused.stderr.contains(told), "{refused:#?}");
        assert_eq!(house.read("todo.md"), TODO);
    }
}
