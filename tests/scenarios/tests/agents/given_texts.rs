//! Texts that an order gives, and those that it only describes: what is written, where, and what is offered.

use testkit::House;

/// Tells it to do something by rules and agrees to every change; what is said.
fn tell(house: &House, says: &str, code: i32) -> String {
    let allowed = ["--allow-write", ".", "--yes", "write"];
    let run = house.ask(["run", "--mode", "deterministic"]);
    let done = run.args(allowed).arg(says).run().expect(code);
    format!("{}{}", done.stdout, done.stderr)
}

#[test]
fn a_note_goes_under_the_heading_that_is_named_or_nowhere() {
    let house = House::new();
    let ideas = "# Ideas\n\n- lighthouse\n\n## Style\n\nshort sentences\n\n## Names\n";
    house.write("ideas.md", ideas);
    tell(
        &house,
        "add a note under Style in ideas.md: no semicolons",
        0,
    );
    let after = ideas.replace("sentences\n", "sentences\nno semicolons\n");
    assert_eq!(house.read("ideas.md"), after);
    let says = "add a remark under Plot in ideas.md: check years";
    let told = tell(&house, says, 4);
    assert!(told.contains("no heading `Plot`"), "{told}");
    assert_eq!(house.read("ideas.md"), after);
}

#[test]
fn a_task_is_added_with_a_box_and_all_boxes_are_opened() {
    let house = House::new();
    house.write("tasks.md", "# Tasks\n- [ ] map\n- [x] ink\n");
    tell(&house, "add a task 'read proofs' to tasks.md", 0);
    tell(&house, "add \"call Ann\" to the tasks in tasks.md", 0);
    tell(&house, "untick all in tasks.md", 0);
    tell(&house, "swap lines 2 and 3 in tasks.md", 0);
    let after = "# Tasks\n- [ ] ink\n- [ ] map\n- [ ] read proofs\n- [ ] call Ann\n";
    assert_eq!(house.read("tasks.md"), after);
}

#[test]
fn a_description_is_offered_as_no_text_and_a_list_as_no_file() {
    let house = House::new();
    house.write("a.md", "# A\n");
    house.write("b.sh", "echo\n");
    house.write("c.yaml", "a:\n  b: 1\n");
    for (says, pattern) in [
        (
            "add a paragraph about the storm to a.md",
            "add \"TEXT\" to a.md",
        ),
        ("add a Contributing section to a.md", "add \"TEXT\" to a.md"),
        (
            "insert a header comment at the top of b.sh",
            "insert \"TEXT\" at the top of b.sh",
        ),
        ("append cloud: 29 to c.yaml", "append \"TEXT\" to c.yaml"),
        ("start a.md with a quote", "\"TEXT\""),
    ] {
        let told = tell(&house, says, 4);
        assert!(told.contains(pattern), "{says}: {told}");
        assert!(!told.contains("Try:"), "{says}: {told}");
        assert!(!told.contains("cannot be read"), "{says}: {told}");
    }
    let told = tell(&house, "add httpx>=0.27 to the dependencies", 4);
    assert!(
        !told.contains("Try:") && !house.has("dependencies"),
        "{told}"
    );
}

#[test]
fn a_file_is_started_with_a_text_whether_it_is_there_or_not() {
    let house = House::new();
    house.write("a.md", "one\n");
    tell(&house, "start a.md with 'Hello'", 0);
    assert_eq!(house.read("a.md"), "Hello\none\n");
    tell(&house, "start b.md with 'Hello'", 0);
    assert_eq!(house.read("b.md"), "Hello\n");
}

#[test]
fn a_comment_or_a_line_goes_by_its_word_and_a_commented_name_stays() {
    let house = House::new();
    house.write("cli.py", "import os\n# FIXME errors\nrun()  # TODO later\n");
    house.write("opts.conf", "#debug = true\nlevel = 3\n");
    house.write("crontab", "0 3 * * * /bin/backup\n5 * * * * /bin/poll\n");
    tell(&house, "remove the FIXME comment in cli.py", 0);
    tell(&house, "remove the TODO comment in cli.py", 4);
    assert_eq!(house.read("cli.py"), "import os\nrun()  # TODO later\n");
    tell(&house, "comment out poll in crontab", 0);
    let jobs = "0 3 * * * /bin/backup\n# 5 * * * * /bin/poll\n";
    assert_eq!(house.read("crontab"), jobs);
    let told = tell(&house, "remove debug from opts.conf", 4);
    let offer = "Try: remove the line about \"debug\" from opts.conf";
    assert!(told.contains(offer) && !told.contains(" | "), "{told}");
    tell(&house, "remove \"debug\" from opts.conf", 4);
    assert_eq!(house.read("opts.conf"), "#debug = true\nlevel = 3\n");
}

#[test]
fn a_value_is_set_by_a_sign_or_behind_its_name() {
    let house = House::new();
    house.write("a.toml", "[server]\nport = 3000\n\n[mail]\nport = 587\n");
    house.write("n.conf", "server {\n    read_timeout 30s;\n}\n");
    tell(&house, "set port = 3001 under [server] in a.toml", 0);
    let after = "[server]\nport = 3001\n\n[mail]\nport = 587\n";
    assert_eq!(house.read("a.toml"), after);
    tell(&house, "set read_timeout 60s in n.conf", 0);
    assert!(house.read("n.conf").contains("read_timeout 60s;"));
}

#[test]
fn paths_and_words_are_taken_for_no_place_and_no_folder() {
    let house = House::new();
    house.write("chapters/a.md", "Voss came.\n");
    house.write("chapters/b.md", "Voss left.\n");
    house.write("hosts.csv", "host\nweb\n");
    let says = "rename Voss to Foss in chapters/a.md and chapters/b.md";
    tell(&house, says, 0);
    assert_eq!(house.read("chapters/b.md"), "Foss left.\n");
    let says = "rename Foss to Voss in chapters/a.md and chapters/gone.md";
    let told = tell(&house, says, 4);
    assert!(told.contains("no `chapters/gone.md`"), "{told}");
    let told = tell(&house, "replace Foss with Voss in all chapters", 4);
    assert!(told.contains("names no file"), "{told}");
    assert_eq!(house.read("chapters/a.md"), "Foss came.\n");
    let told = tell(&house, "show hosts", 4);
    assert!(told.contains("Try: show hosts.csv"), "{told}");
    let told = tell(&house, "show the history", 4);
    assert!(told.contains("carl session list"), "{told}");
    let told = tell(&house, "list memories", 4);
    assert!(told.contains("carl memory list"), "{told}");
    let told = tell(&house, "show the first paragraph of chapters/a.md", 0);
    assert!(told.contains("1: Foss came."), "{told}");
    house.write("log.md", "2024\n");
    tell(&house, "record in log.md that the war ended", 0);
    assert_eq!(house.read("log.md"), "2024\nthe war ended\n");
}
