//! Forgetting leaves nothing: canaries are looked for in every byte of every file.

use crate::place::{ask, close, everything, keep, memory, opened};
use api::memory::{Annotation, Curator as _, Error, Memory as _, WriteEntry, WriteRequest};
use domain::id::{MemoryId, QueryId, SessionId};
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// A word that nobody has said before.
fn canary() -> String {
    let letters = Uuid::now_v7().simple().to_string();
    let digits = letters.bytes().rev().take(20);
    let word: String = digits.map(|b| char::from(b'g' + b % 17)).collect();
    format!("Q{word}")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}

/// Files that hold the word, as written, in lower case, reversed or in two-byte letters.
fn holding(folder: &Path, word: &str) -> Vec<PathBuf> {
    let wide = |text: &str| {
        text.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<_>>()
    };
    let lower = word.to_lowercase();
    let forms = [
        word.as_bytes().to_vec(),
        lower.as_bytes().to_vec(),
        // An index keeps the front of a word apart from its end.
        lower.as_bytes()[4..16].to_vec(),
        lower.bytes().rev().collect(),
        wide(word),
        wide(&lower),
    ];
    let holds = |path: &PathBuf| {
        let Ok(bytes) = fs::read(path) else {
            return false;
        };
        forms
            .iter()
            .any(|form| bytes.windows(form.len()).any(|window| window == form))
    };
    files(folder).into_iter().filter(holds).collect()
}

fn whole(words: &[String; 4], with: MemoryId) -> WriteRequest {
    let mut request = memory("", "");
    request.entry = WriteEntry::Memory {
        name: format!("about {}", words[0]),
        description: format!("what {} is", words[1]),
        tags: vec![words[2].clone()],
        correlating_ids: vec![with],
        corpus: format!(
            "{} It is said that {} sleeps.",
            "Much text. ".repeat(2_000),
            words[3]
        ),
    };
    request
}

#[tokio::test]
async fn a_memory_goes_without_a_trace_from_a_store_that_was_in_use() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("memory");
    let words = [canary(), canary(), canary(), canary()];
    let service = opened(&folder).await;
    let mut others = Vec::new();
    for n in 0..200 {
        let text = format!(
            "Neighbour {n} of the one that goes, {}",
            "and so on ".repeat(n)
        );
        others.push(keep(&service, memory(&format!("neighbour {n}"), &text)).await);
    }
    let id = keep(&service, whole(&words, others[0])).await;
    for n in 200..300 {
        let text = format!(
            "Neighbour {n} of the one that goes, {}",
            "and so on ".repeat(n)
        );
        keep(&service, memory(&format!("neighbour {n}"), &text)).await;
    }
    for word in &words {
        let found = ask(&service, word).await.unwrap();
        // What hangs on it may stand before it: the words of the test are random, and so is their vector.
        assert!(found.iter().any(|recall| recall.id == id), "{word}");
        assert_ne!(
            holding(&folder, word),
            Vec::<PathBuf>::new(),
            "the search finds nothing"
        );
    }

    let forgotten = service.forget(id).await.unwrap();
    assert_eq!(forgotten.entries, 1);
    assert!(forgotten.files >= 3 && forgotten.bytes > 0, "{forgotten:?}");
    for word in &words {
        assert_eq!(holding(&folder, word), Vec::<PathBuf>::new());
        assert!(
            ask(&service, word)
                .await
                .unwrap()
                .iter()
                .all(|recall| recall.id != id)
        );
    }
    assert_eq!(everything(&service).await.len(), 300);
    // The others are found as before, here and after a restart.
    let found = ask(&service, "neighbour 123").await.unwrap();
    assert!(found.iter().any(|recall| recall.name == "neighbour 123"));
    close(service, &folder).await;
    for word in &words {
        assert_eq!(holding(&folder, word), Vec::<PathBuf>::new());
    }
}

#[tokio::test]
async fn an_engram_goes_with_its_remarks_and_a_correction_with_what_it_corrected() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("memory");
    let service = opened(&folder).await;
    let words = [canary(), canary(), canary(), canary(), canary()];
    let mut request = memory("", "");
    request.entry = WriteEntry::Engram {
        question: format!("Who is {}?", words[0]),
        answer: format!("{} is a cat.", words[1]),
        intent: String::new(),
        entities: Vec::new(),
        session_id: SessionId::from_uuid(Uuid::now_v7()),
        query_id: QueryId::from_uuid(Uuid::now_v7()),
        respondent: "model".to_owned(),
        tools_used: Vec::new(),
    };
    let engram = keep(&service, request).await;
    let understood = Annotation::Understood {
        intent: format!("to know {}", words[2]),
        entities: vec![words[2].clone()],
    };
    service.annotate(None, engram, understood).await.unwrap();
    let old = keep(
        &service,
        memory("home", &format!("Home is {} street", words[3])),
    )
    .await;
    let mut correction = memory("home", &format!("Home is {} street", words[4]));
    correction.supersedes = Some(old);
    let new = keep(&service, correction).await;

    assert_eq!(service.forget(engram).await.unwrap().entries, 1);
    assert_eq!(service.forget(new).await.unwrap().entries, 2);
    for word in &words {
        assert_eq!(holding(&folder, word), Vec::<PathBuf>::new());
    }
    assert_eq!(everything(&service).await, []);
}

#[tokio::test]
async fn what_another_entry_says_too_is_no_trace_and_a_copy_elsewhere_is() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("memory");
    let service = opened(&folder).await;
    let word = canary();
    let shared = format!("The recipe of {word} needs four eggs and a spoon of sugar.");
    let first = keep(&service, memory("recipe", &shared)).await;
    let second = keep(&service, memory("cake", &format!("{shared} Stir it well."))).await;
    service.forget(first).await.unwrap();
    assert_eq!(service.show(second).await.unwrap().id, second);

    // Somebody copied a file while it was there: that is told, with the file.
    fs::write(folder.join("copy"), &shared).unwrap();
    match service.forget(second).await {
        Err(Error::StillThere { file }) => assert!(file.ends_with("copy"), "{file}"),
        other => panic!("{other:?}"),
    }
    fs::remove_file(folder.join("copy")).unwrap();
    assert_eq!(holding(&folder, &word), Vec::<PathBuf>::new());
}

fn waiting(folder: &Path) -> u64 {
    let store = Connection::open(folder.join("memory.db")).unwrap();
    let sql = "SELECT count(*) FROM forgotten";
    store.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn what_a_crash_left_of_a_forgotten_entry_goes_at_the_next_start() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("memory");
    let word = canary();
    let service = opened(&folder).await;
    keep(&service, memory("other", "Something that stays.")).await;
    let id = keep(&service, memory("one", &format!("{word} sleeps."))).await;
    assert_eq!(ask(&service, &word).await.unwrap()[0].id, id);
    close(service, &folder).await;

    // As far as a process comes that is killed before it cleans: gone from the tables, not from
    // the pages.
    let store = Connection::open(folder.join("memory.db")).unwrap();
    store
        .execute_batch(
            "PRAGMA secure_delete = OFF;
             BEGIN;
             INSERT INTO forgotten SELECT number FROM entries WHERE name = 'one';
             INSERT INTO changes (number, kind, mark) SELECT number, 'remove', 7 FROM forgotten;
             DELETE FROM entries WHERE name = 'one';
             COMMIT;",
        )
        .unwrap();
    drop(store);
    fs::write(folder.join("index").join("vectors-0.bin"), &word).unwrap();
    let left = holding(&folder, &word);
    assert!(left.iter().any(|file| file.ends_with("memory.db")));

    let service = opened(&folder).await;
    assert_eq!(holding(&folder, &word), Vec::<PathBuf>::new());
    assert_eq!(waiting(&folder), 0);
    assert_eq!(everything(&service).await.len(), 1);
    let found = ask(&service, &word).await.unwrap();
    assert!(found.iter().all(|recall| recall.id != id));
}

#[tokio::test]
async fn cleaning_that_fails_is_done_by_forgetting_again() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("memory");
    let word = canary();
    let service = opened(&folder).await;
    let id = keep(&service, memory("one", &format!("{word} sleeps."))).await;
    // Somebody reads, and does not stop.
    let reader = Connection::open(folder.join("memory.db")).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let sql = "SELECT count(*) FROM entries";
    assert_eq!(reader.query_row(sql, [], |row| row.get(0)), Ok(1));
    let Err(Error::Unavailable { .. }) = service.forget(id).await else {
        panic!("nobody was in the way");
    };
    assert_eq!(waiting(&folder), 1);
    assert_ne!(holding(&folder, &word), Vec::<PathBuf>::new());

    reader.execute_batch("COMMIT").unwrap();
    let Err(Error::NotFound { .. }) = service.forget(id).await else {
        panic!("it is still there");
    };
    assert_eq!(waiting(&folder), 0);
    assert_eq!(holding(&folder, &word), Vec::<PathBuf>::new());
}
