//! Questions and orders in daily words to the model that comes along, in its own mode.
#![allow(clippy::print_stderr, reason = "a test is allowed to fail loudly")]

use testkit::{Finished, House};

/// A house with the model that comes along; `None` where that is not built.
fn house() -> Option<House> {
    let house = House::new();
    if house.use_engine() {
        return Some(house);
    }
    eprintln!("left out: run `cargo xtask setup`, or the whole with `cargo xtask test`");
    None
}

fn tell(house: &House, says: &str) -> Finished {
    let open = ["run", "--allow-write", ".", "--yes", "write"];
    house.ask(open).arg(says).run()
}

fn memories(house: &House) -> String {
    house.ask(["memory", "list"]).run().expect(0).stdout
}

#[test]
fn help_is_no_answer_to_remember() {
    let Some(house) = house() else { return };
    for says in ["help", "what can you do?"] {
        let done = tell(&house, says).expect(0);
        assert!(done.stdout.contains("undo"), "{done:#?}");
    }
    assert_eq!(memories(&house), "");
}
