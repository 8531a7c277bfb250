//! Everyday orders through the shipped program: some of those that logic/plan/tests/data/daily_orders.txt has, with
//! the lines that they change and the answers that they get.

use std::collections::BTreeMap;
use testkit::House;

const FILES: &str = include_str!("../../../../logic/plan/tests/data/daily_files.txt");
const ORDERS: &str = include_str!("../../../../logic/plan/tests/data/daily_orders.txt");
/// Of so many orders that are done or answered one is driven here.
const EACH: usize = 12;

/// Actions that stand in the place of an answer, which is another each time.
const ACTIONS: [&str; 3] = ["CountLines", "Tail", "SearchText"];

/// An order of a file, with the lines that go and come, or the answer.
#[derive(Default)]
struct Row {
    path: String,
    order: String,
    gone: Vec<String>,
    come: Vec<String>,
    answer: Option<String>,
    is_of_this_file: bool,
}

fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut path = "";
    for line in ORDERS.lines() {
        let (sign, rest) = line.split_at(1.min(line.len()));
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        match (sign, rows.last_mut()) {
            ("@", _) => path = rest,
            (">", _) => rows.push(Row {
                path: path.to_owned(),
                order: rest.to_owned(),
                is_of_this_file: true,
                ..Row::default()
            }),
            ("-", Some(row)) => row.gone.push(rest.to_owned()),
            ("+", Some(row)) => row.come.push(rest.to_owned()),
            ("=", Some(row)) => row.answer = Some(rest.to_owned()),
            // Another file is written, or the order is refused.
            ("*" | "!", Some(row)) => row.is_of_this_file = false,
            _ => {}
        }
    }
    let is_action = |row: &Row| ACTIONS.contains(&row.answer.as_deref().unwrap_or_default());
    rows.retain(|row| row.is_of_this_file && !is_action(row));
    rows
}

/// The lines of a text that another has not, each as often as it stands there.
fn without(text: &str, other: &str) -> Vec<String> {
    let mut left: Vec<&str> = other.lines().collect();
    let is_gone = |line: &&str| match left.iter().position(|one| one == line) {
        Some(at) => {
            left.remove(at);
            false
        }
        None => true,
    };
    text.lines().filter(is_gone).map(str::to_owned).collect()
}

#[test]
fn everyday_orders_are_done_and_answered_by_the_program() {
    let files: BTreeMap<&str, &str> = FILES
        .split("=== ")
        .filter_map(|part| part.split_once('\n'))
        .collect();
    let house = House::new();
    let mut driven = 0;
    for row in rows().iter().step_by(EACH) {
        let before = files[row.path.as_str()];
        house.write(&row.path, before);
        let run = house.ask(["run", "--mode", "deterministic", "--allow-write", "."]);
        let run = run.args(["--yes", "write", "--yes", "destructive", &row.order]);
        let done = run.run().expect(0);
        let after = house.read(&row.path);
        if let Some(answer) = &row.answer {
            assert!(done.stdout.contains(answer), "{}: {done:#?}", row.order);
        }
        // A line that only moves stands among those that go and among those that come.
        let (gone, come) = (row.gone.join("\n"), row.come.join("\n"));
        assert_eq!(
            without(before, &after),
            without(&gone, &come),
            "{}",
            row.order
        );
        assert_eq!(
            without(&after, before),
            without(&come, &gone),
            "{}",
            row.order
        );
        let changes = !row.gone.is_empty() || !row.come.is_empty();
        assert_eq!(before != after, changes, "{}", row.order);
        driven += 1;
    }
    assert!(driven > 20, "{driven}");
}

#[test]
fn each_part_of_a_question_of_several_files_is_answered_from_its_own() {
    let house = House::new();
    house.write(
        "conf/nginx.conf",
        "server {\n    listen 80;\n    server_name example.org;\n}\n",
    );
    house.write("settings.ini", "[mail]\nserver = smtp\nport = 587\n");
    let asks = |question: &str| {
        let run = house.ask(["run", "--mode", "deterministic", question]);
        run.run().expect(0).stdout
    };
    let both = asks("what is the server_name in conf/nginx.conf and the port in settings.ini?");
    assert!(
        both.contains("is example.org") && both.contains("`mail.port` is 587"),
        "{both}"
    );
    assert!(!both.contains("smtp"), "{both}");
    let one = asks("what is the colour in conf/nginx.conf and the port in settings.ini?");
    assert!(one.contains("`mail.port` is 587"), "{one}");
    assert!(one.contains("asks of conf/nginx.conf is left out"), "{one}");
}

#[test]
fn an_article_names_a_value_of_a_text_and_no_word() {
    let house = House::new();
    let text = "The deadline is Monday. The deadline was moved once.\n";
    house.write("brief.md", text);
    let order = |says: &str| {
        let open = [
            "run",
            "--mode",
            "deterministic",
            "--allow-write",
            ".",
            "--yes",
            "write",
        ];
        house.ask(open).arg(says).run()
    };
    let refused = order("change the deadline to Friday in brief.md").expect(4);
    assert_eq!(house.read("brief.md"), text);
    let offer = "replace \"Monday\" with \"Friday\" in brief.md";
    assert!(refused.stderr.contains(offer), "{refused:#?}");
    order(offer).expect(0);
    assert_eq!(house.read("brief.md"), text.replace("Monday", "Friday"));
}
