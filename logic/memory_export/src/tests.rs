//! What is exported is read back, and what cannot be one is named.

use super::*;
use ::parquet::file::reader::{FileReader as _, SerializedFileReader};
use ::parquet::record::{Field, Row};
use bytes::Bytes;
use domain::id::{QueryId, SessionId};
use std::collections::BTreeMap;
use uuid::Uuid;

fn stored(entry: WriteEntry) -> Stored {
    Stored {
        id: MemoryId::from_uuid(Uuid::from_u128(1)),
        namespace: Namespace::user(),
        entry,
        source: Source::External,
        label: Label::untrusted("web:example.org"),
        created_at: "2026-11-22T08:00:00.000001Z".parse().unwrap(),
        valid_from: None,
        valid_until: Some("2026-11-23T00:00:00Z".parse().unwrap()),
        superseded_by: Some(MemoryId::from_uuid(Uuid::from_u128(2))),
        last_accessed: None,
        access_count: 7,
        critic_score: Some(5),
        pairwise_winner: Some(Winner::Tie),
        feedback: Some(-100),
    }
}

fn both() -> [Stored; 2] {
    [
        stored(WriteEntry::Memory {
            name: "n".to_owned(),
            description: String::new(),
            tags: vec!["t".to_owned()],
            correlating_ids: vec![MemoryId::from_uuid(Uuid::from_u128(3))],
            corpus: "line one\nline \"two\" ü".to_owned(),
        }),
        stored(WriteEntry::Engram {
            question: "q".to_owned(),
            answer: "a".to_owned(),
            intent: String::new(),
            entities: vec!["e".to_owned()],
            session_id: SessionId::from_uuid(Uuid::from_u128(4)),
            query_id: QueryId::from_uuid(Uuid::from_u128(5)),
            respondent: "m".to_owned(),
            tools_used: vec![ToolName::new("read_file").unwrap()],
        }),
    ]
}

#[test]
fn what_is_exported_is_read_back_the_same() {
    for stored in both() {
        let line = to_json(&stored).to_string();
        assert!(!line.contains('\n'));
        assert_eq!(from_line(&line), Ok(stored));
    }
}

/// A cell as the value of a JSON line, which `like` is.
fn read_back(field: &Field, like: &Value) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Str(text) if like.is_object() => serde_json::from_str(text).unwrap(),
        Field::Str(text) => json!(text),
        Field::Long(number) => json!(number),
        Field::TimestampMicros(time) => shown(&Timestamp::from_microsecond(*time).unwrap()),
        Field::ListInternal(list) => {
            let texts = list
                .elements()
                .iter()
                .map(|one| read_back(one, &Value::Null));
            texts.collect()
        }
        other => panic!("{other:?}"),
    }
}

/// Each row has what the JSON line has, read by the library's own reader, and each field is a column.
#[test]
fn a_table_has_what_the_lines_have() {
    let mut table = Table::begin(Vec::new()).unwrap();
    for stored in both() {
        table.add(&stored).unwrap();
    }
    let file = Bytes::from(table.end().unwrap());
    let reader = SerializedFileReader::new(file).unwrap();
    let rows: Vec<Row> = reader
        .get_row_iter(None)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(rows.len(), 2);
    for (row, stored) in rows.iter().zip(both()) {
        let columns: BTreeMap<&str, &Field> = row
            .get_column_iter()
            .map(|(name, field)| (name.as_str(), field))
            .collect();
        for (name, value) in to_json(&stored).as_object().unwrap() {
            assert_eq!(read_back(columns[name.as_str()], value), *value, "{name}");
        }
    }
    let of_both = both().map(|stored| to_json(&stored).as_object().unwrap().len());
    assert!(rows[0].len() > of_both[0].max(of_both[1]));
}

/// What is more than a group of rows is written in several, and an empty memory is a table without rows.
#[test]
fn a_table_is_as_long_as_memory() {
    for count in [0_usize, 1, 4_097] {
        let mut table = Table::begin(Vec::new()).unwrap();
        for _ in 0..count {
            table.add(&both()[0]).unwrap();
        }
        let reader = SerializedFileReader::new(Bytes::from(table.end().unwrap())).unwrap();
        assert_eq!(reader.metadata().num_row_groups(), count.div_ceil(4_096));
        assert_eq!(reader.get_row_iter(None).unwrap().count(), count);
    }
}

#[test]
fn the_field_that_is_wrong_is_named() {
    let [memory, _] = both();
    let with = |field: &str, value: Value| {
        let mut object = to_json(&memory);
        object[field] = value;
        from_line(&object.to_string()).unwrap_err().to_string()
    };
    for (field, value) in [
        ("id", json!("no id")),
        ("kind", json!("thing")),
        ("namespace", json!("")),
        ("namespace", json!("project:here")),
        ("namespace", json!("project:/a/../b")),
        ("namespace", json!("agent:Two Words")),
        ("valid_until", Value::Null),
        ("valid_from", json!("2027-01-01T00:00:00Z")),
        ("superseded_by", json!(memory.id.to_string())),
        ("tags", json!("t")),
        ("correlating_ids", json!(["x"])),
        ("text", Value::Null),
        ("source", json!("world")),
        ("label", json!({})),
        ("created_at", json!("yesterday")),
        ("label", json!(Label::trusted("o".repeat(ORIGIN_CHARS + 1)))),
        ("access_count", json!(-1)),
        ("access_count", json!(1_u64 << 63)),
        ("critic_score", json!(6)),
        ("pairwise_winner", json!("C")),
        ("feedback", json!(101)),
        ("surplus", json!(1)),
    ] {
        let said = with(field, value);
        // Of two times that cannot both be true the end is named.
        let field = field.replace("valid_from", "valid_until");
        assert!(said.starts_with(&format!("field `{field}`: ")), "{said}");
    }
    let mut object = to_json(&memory);
    object.as_object_mut().unwrap().remove("text");
    let said = from_line(&object.to_string()).unwrap_err();
    assert_eq!(said, Unreadable::Missing("text"));
    assert!(matches!(from_line("[]"), Err(Unreadable::NoObject(_))));
    assert!(matches!(from_line("{"), Err(Unreadable::NoObject(_))));
}

#[test]
fn a_name_that_is_there_twice_is_no_entry_at_any_depth() {
    let [memory, _] = both();
    let line = to_json(&memory).to_string();
    for (from, to, field) in [
        ("{\"id\"", "{\"source\":\"user\",\"id\"", "source"),
        (
            "\"label\":{",
            "\"label\":{\"integrity\":\"trusted\",",
            "integrity",
        ),
    ] {
        assert!(line.contains(from), "{line}");
        let said = from_line(&line.replacen(from, to, 1)).unwrap_err();
        assert_eq!(said, wrong(field, "is there twice"));
    }
}

#[test]
fn entries_that_correct_each_other_are_all_named_and_a_long_chain_is_none() {
    let [memory, _] = both();
    let id = |number| MemoryId::from_uuid(Uuid::from_u128(number));
    let entry = |number, by| Stored {
        id: id(number),
        superseded_by: Some(id(by)),
        ..memory.clone()
    };
    let chain: Vec<Stored> = (0..1_000).map(|n| entry(n, n + 1)).collect();
    let chain: Vec<&Stored> = chain.iter().rev().collect();
    assert_eq!(in_rings(&chain), []);
    // The first leads into a ring of three and is in none.
    let ring = [entry(1, 2), entry(2, 3), entry(3, 4), entry(4, 2)];
    let found = in_rings(&ring.iter().collect::<Vec<_>>());
    let places: Vec<usize> = found.iter().map(|(place, _)| *place).collect();
    assert_eq!(places, [1, 2, 3]);
}

#[test]
fn every_bad_line_is_named_up_to_a_limit_and_nothing_comes_of_the_others() {
    let text = "{}\n\n".repeat(FAULTS + 2);
    let said = read(text.as_bytes()).unwrap_err().to_string();
    assert!(
        said.starts_with("line 1: field `kind`: is missing\nline 3: "),
        "{said}"
    );
    assert!(said.ends_with("and 2 more lines"), "{said}");
    assert_eq!(read(b"\n \r\n").unwrap(), []);
    assert_eq!(read("\u{feff}\n".as_bytes()).unwrap(), []);
    let long = vec![b'['; LINE_BYTES + 1];
    let said = read(&long).unwrap_err();
    assert_eq!(said.to_string(), "line 1: it is longer than 4 MiB");
    let said = read(b"\n{\"id\":\"\xff\"}\n").unwrap_err().to_string();
    assert!(said.starts_with("line 2: it is no text: "), "{said}");
    let deep = "[".repeat(LINE_BYTES);
    let said = read(deep.as_bytes()).unwrap_err().to_string();
    assert!(said.starts_with("line 1: it is no JSON object: "), "{said}");
}

#[test]
fn a_namespace_is_one_that_somebody_may_look_into() {
    for name in [
        "user",
        "apart",
        "garden",
        "project:/a/b",
        "project:/",
        "agent:coder",
    ] {
        assert_eq!(
            namespace(name).map(|name| name.to_string()),
            Ok(name.to_owned())
        );
    }
    for name in [
        "",
        "agent:",
        "agent:Two Words",
        "project:",
        "project:a",
        "project:/a/../b",
        "project:/a/",
        "project:/a//b",
        "project:/a/./b",
        "a\nb",
    ] {
        assert!(namespace(name).is_err(), "{name}");
    }
}
