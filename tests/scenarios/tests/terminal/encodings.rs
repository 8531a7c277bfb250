//! Texts as other programs store and set them: old encodings, Windows line ends, typeset marks.

use scenarios::Scene;
use serde_json::json;
use testkit::flags::WRITES;
use testkit::{Finished, House, Reply};

/// A table as a spreadsheet stores it: in windows-1252, with `\r\n` behind each line.
const TABLE: &[u8] = b"Monat;Titel\r\nM\xe4rz;M\xf6wen\r\n";

fn by_rules(house: &House, task: &str) -> Finished {
    let args = ["run", "--mode", "deterministic"];
    house.ask(args).args(WRITES).arg(task).run()
}

fn bytes(house: &House, name: &str) -> Vec<u8> {
    std::fs::read(house.work().join(name)).unwrap()
}

#[test]
fn text_is_added_in_the_encoding_and_line_ends_of_its_file() {
    let house = House::new();
    house.write("table.csv", TABLE);
    let _added = by_rules(&house, "append \"Mai;Caf\u{e9}\" to table.csv").expect(0);
    let added = [TABLE, b"Mai;Caf\xe9\r\n"].concat();
    assert_eq!(bytes(&house, "table.csv"), added);
    let refused = by_rules(&house, "append \"a \u{2192} b\" to table.csv");
    assert!(refused.stderr.contains("has no `\u{2192}`"), "{refused:#?}");
    assert!(refused.stderr.contains("iconv -f"), "{refused:#?}");
    assert_eq!(bytes(&house, "table.csv"), added);
}

#[test]
fn a_text_is_overwritten_in_its_encoding_or_says_that_it_is_not() {
    let write = |content: &str| {
        let write = json!({"path": "table.csv", "content": content, "mode": "overwrite"});
        Reply::call("write_file", write)
    };
    let scene = Scene::new([
        write("Monat;Titel\nM\u{e4}rz;D\u{fc}nen\n"),
        write("Monat;Titel\nM\u{e4}rz \u{2192} Mai\n"),
        Reply::text("Done."),
    ]);
    scene.house.write("table.csv", TABLE);
    let asked = scene.run(&[&WRITES[..], &["mend it"]].concat());
    let last = bytes(&scene.house, "table.csv");
    assert_eq!(last, "Monat;Titel\r\nM\u{e4}rz \u{2192} Mai\r\n".as_bytes());
    let told = scene.told();
    assert_eq!(
        told.matches("the file was windows-1252").count(),
        1,
        "{asked:#?}"
    );
    let _back = scene.house.ask(["undo", "--yes", "write"]).run().expect(0);
    let first = bytes(&scene.house, "table.csv");
    assert_eq!(first, b"Monat;Titel\r\nM\xe4rz;D\xfcnen\r\n");
}

#[test]
fn a_text_in_utf_16_is_named_as_one_with_what_to_do() {
    let house = House::new();
    let text: Vec<u8> = "\u{feff}Johannes\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    house.write("u16.txt", &text);
    let found = by_rules(&house, "search for johannes in u16.txt").expect(0);
    assert!(found.stdout.contains("u16.txt:1: "), "{found:#?}");
    for task in [
        "show u16.txt",
        "replace Johannes with Jonathan in u16.txt",
        "append \"more\" to u16.txt",
    ] {
        let told = by_rules(&house, task).stderr;
        assert!(told.contains("iconv -f UTF-16 -t UTF-8"), "{task}: {told}");
    }
    assert_eq!(bytes(&house, "u16.txt"), text);
}
