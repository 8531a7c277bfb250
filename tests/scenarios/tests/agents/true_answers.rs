//! Questions whose lines would say the contrary, or something else, answered by rules from the files: conditions that
//! are turned round, times and statuses of logs, releases, words of a log, paragraphs.

use scenarios::Scene;
use testkit::{Finished, House, Reply};

fn ask(house: &House, say: &str) -> Finished {
    let run = ["run", "--json", "--mode", "deterministic"];
    house.ask(run).arg(say).run()
}

fn answer(house: &House, say: &str) -> String {
    let done = ask(house, say).expect(0).json();
    done["answer"].as_str().unwrap_or_default().to_owned()
}

const HOSTS: &str = "host,os,backup\nanna,debian,yes\nberta,ubuntu,no\ndora,alpine,\n";
const ACCESS: &str = "203.0.113.5 - - [30/Nov/2026:02:59:59 +0100] \"GET / HTTP/1.1\" 200 500\n\
    203.0.113.6 - bob [30/Nov/2026:03:12:44 +0100] \"GET /a HTTP/1.1\" 500 12\n\
    203.0.113.7 - - [30/Nov/2026:15:00:00 +0100] \"GET /500 HTTP/1.1\" 404 7\n";
const AUTH: &str = "Nov 30 03:01:02 host sshd[1]: Failed password for root from 203.0.113.1\n\
    Nov 30 03:01:05 host sshd[2]: Failed password for oracle from 203.0.113.1\n\
    Nov 30 03:03:00 host sudo: session opened for user root\n";

#[test]
fn a_condition_that_is_turned_round_is_answered_or_refused() {
    let house = House::new();
    house.write("hosts.csv", HOSTS);
    house.write("todo.md", "- [ ] call Ann\n- [x] buy paper\n");
    for (question, says) in [
        (
            "which hosts are not debian in hosts.csv?",
            "`os` is not debian in 2 rows: berta, dora (by rules",
        ),
        (
            "which of them are without a backup in hosts.csv?",
            "`backup` is no or empty in 2 rows: berta, dora (by rules",
        ),
        (
            "how many rows in hosts.csv have no backup?",
            "`backup` is no or empty in 2 rows",
        ),
        (
            "which tasks are not done in todo.md?",
            "todo.md has 1 open of 2 items with a box",
        ),
        ("which tasks are not done", "1 line in 1 file contain"),
    ] {
        let told = answer(&house, question);
        assert!(told.starts_with(says), "{question}: {told}");
    }
    let other = "which hosts are not debian and not alpine in hosts.csv?";
    let refused = ask(&house, other).json()["error"].clone();
    assert_eq!(refused["code"], "plan.question", "{refused:#}");
    let hint = refused["hint"].as_str().unwrap_or_default();
    assert!(
        hint.contains("`which rows in FILE.csv are not VALUE?`"),
        "{hint}"
    );
}

#[test]
fn no_line_that_says_the_contrary_is_told_by_a_tiny_model() {
    let scene = Scene::of_class("tiny", [Reply::text("The sail.")]);
    scene
        .house
        .write("sea.txt", "the sail is red\nthe mast is white\n");
    for mode in ["plan", "adaptive"] {
        let outcome = scene.run(&["--mode", mode, "what is not red in sea.txt?"]);
        outcome.assert_ends(0, "success");
        let told = outcome.text("answer");
        assert!(
            told.contains("turns a condition round (`not red in`)"),
            "{mode}: {told}"
        );
        assert!(!told.contains("the sail is red"), "{mode}: {told}");
    }
}

#[test]
fn times_and_statuses_of_a_log_of_the_web_are_its_fields() {
    let house = House::new();
    house.write("access.log", ACCESS);
    house.write("app.log", "slow 500 ms\n");
    for (question, says) in [
        (
            "what happened after 3 am in access.log?",
            "access.log has 2 lines with a time after 03:00",
        ),
        (
            "what happened between 03:00 and 04:00 in access.log?",
            "access.log has 1 line with a time from 03:00 to before 04:00",
        ),
        (
            "how many requests returned 500 in access.log?",
            "1 line of access.log has the status 500 (by rules",
        ),
        (
            "how many 404s in access.log",
            "1 line of access.log has the status 404",
        ),
        (
            "how many requests returned 500 in app.log?",
            "1 line of app.log has `500` as a whole number, whether it is a status",
        ),
    ] {
        let told = answer(&house, question);
        assert!(told.starts_with(says), "{question}: {told}");
    }
}

#[test]
fn a_release_is_told_by_its_whole_number() {
    let house = House::new();
    let log = "# Changelog\n\n## [2.0.10] - 2026-11-01\n- new cache\n\n## v2.0.1\n- first\n\n## 12.0.10\n- other\n";
    house.write("CHANGELOG.md", log);
    for (question, says) in [
        ("what changed in 2.0.10?", "7"),
        ("what changed in v2.0.10", "7"),
        ("what changed in 2.0.1?", "first"),
        ("what's new in 2.0.1", "first"),
    ] {
        let told = answer(&house, question);
        let says = says.replace('7', "new cache");
        assert!(told.ends_with(&says), "{question}: {told}");
    }
    let told = answer(&house, "what changed in 2.0?");
    let says = "CHANGELOG.md has no section for 2.0 (by rules, no model). It has [2.0.10] - 2026-11-01, v2.0.1, 12.0.10.";
    assert_eq!(told, says);
}

#[test]
fn lines_of_a_log_are_shown_by_the_words_of_a_request() {
    let house = House::new();
    house.write("auth.log", AUTH);
    let told = answer(&house, "show failed passwords for root in auth.log");
    assert!(
        told.starts_with("auth.log has 1 line with `failed` and `passwords` and `root`"),
        "{told}"
    );
    assert!(!told.contains("oracle") && !told.contains("sudo"), "{told}");
    let other = ask(&house, "show failed and opened things in auth.log");
    assert_eq!(
        other.json()["error"]["code"],
        "plan.unavailable",
        "{other:#?}"
    );
}

#[test]
fn a_paragraph_of_a_file_without_its_ending_is_no_heading() {
    let house = House::new();
    house.write("chapter1.md", "# Arrival\n\nTom came.\n\nVoss left.\n");
    for (question, says) in [
        ("show the first paragraph of chapter 1", "3: Tom came."),
        ("show the last paragraph of chapter1", "5: Voss left."),
    ] {
        let told = answer(&house, question);
        assert_eq!(told, format!("From chapter1.md:\n  {says}"), "{question}");
    }
}

const SERVICES: &str =
    "services:\n  web:\n    image: a\n    restart: always\n  db:\n    image: b\n";

#[test]
fn no_value_is_told_to_a_question_that_turns_round() {
    let scene = Scene::of_class("tiny", [Reply::text("All.")]);
    scene.house.write("compose.yml", SERVICES);
    scene
        .house
        .write("p.toml", "[project]\ndependencies = [\"a>=1,<2\", \"b\"]\n");
    for (question, value) in [
        (
            "which services have no restart policy in compose.yml?",
            "always",
        ),
        ("which dependencies have no upper bound in p.toml?", "a>=1"),
    ] {
        let told = scene.run(&["--mode", "plan", question]);
        let told = told.text("answer");
        assert!(
            told.contains("turns a condition round"),
            "{question}: {told}"
        );
        assert!(!told.contains(value), "{question}: {told}");
    }
}

#[test]
fn chapters_without_a_word_are_told() {
    let house = House::new();
    house.write("c/chapter1.md", "Biscuit barks.\n");
    house.write("c/chapter2.md", "Rain.\n");
    let told = answer(&house, "which chapters do not mention Biscuit?");
    assert_eq!(
        told,
        "1 file does not have `Biscuit`: c/chapter2.md (by rules, no model). It stands in c/chapter1.md."
    );
    let told = answer(&house, "how many words do the chapters have?");
    assert!(told.starts_with("3 words together"), "{told}");
}

#[test]
fn dates_times_and_days_are_compared() {
    let house = House::new();
    house.write(
        "people.csv",
        "name,deadline\nAnna,2027-02-01\nOtto,2026-12-15\n",
    );
    house.write(
        "app.log",
        "2026-12-01T08:00:00Z ERROR db\n2026-12-01T23:59:59Z ERROR disk\n",
    );
    house.write(
        "crontab.txt",
        "MAILTO=a@b.c\n0 3 * * * backup\n30 4 * * 1 certbot\n1 1 * * 2 x\n",
    );
    house.write("access.log", ACCESS);
    for (question, says, line) in [
        (
            "whose deadline is before 2027-01-01 in people.csv?",
            "`deadline` is before 2027-01-01 in 1 row: Otto",
            "3: Otto",
        ),
        (
            "were there any errors after 20:00 in app.log?",
            "app.log has 1 line with `error`",
            "ERROR disk",
        ),
        (
            "which jobs run on mondays in crontab.txt?",
            "2 lines of crontab.txt have a job that runs on each Monday",
            "certbot",
        ),
        (
            "which requests failed with 500 in access.log?",
            "1 line of access.log has the status 500",
            "500 12",
        ),
    ] {
        let told = answer(&house, question);
        assert!(told.starts_with(says), "{question}: {told}");
        assert!(told.contains(line), "{question}: {told}");
    }
}

#[test]
fn no_file_is_counted_for_what_lasts() {
    let scene = Scene::of_class("tiny", [Reply::text("Long.")]);
    scene
        .house
        .write("jobs.jsonl", "{\"job\":\"backup\",\"took_s\":310}\n");
    for question in [
        "how long are logs kept?",
        "how long is the rent?",
        "how long did the backup take in jobs.jsonl?",
    ] {
        let outcome = scene.run(&["--mode", "plan", question]);
        let told = outcome.summary["answer"].as_str().unwrap_or_default();
        assert!(!told.contains("bytes"), "{question}: {told}");
    }
    let outcome = scene.run(&["--mode", "plan", "how long is jobs.jsonl?"]);
    assert!(outcome.text("answer").contains("jobs.jsonl: 1 line"));
}
