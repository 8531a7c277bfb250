//! Indexes are never believed over the store: whatever became of their files, they are made anew
//! from it, and say so.

use crate::support;
use crate::support::{Kept, Words, files, question, request, stored};
use api::memory::{Curator as _, Memory as _, Stats, WriteEntry};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

const TEXTS: [&str; 4] = [
    "The automobile is parked behind the theatre.",
    "Ada grows beans on the balcony.",
    "The build takes eleven minutes.",
    "Bo moved to Lisbon in 2021.",
];

async fn filled() -> Kept {
    let kept = Kept::new().await;
    for text in TEXTS {
        kept.write(text).await;
    }
    // Everything is on the disk then, and nothing in memory alone.
    kept.service().reindex().await.unwrap();
    kept
}

fn words(kept: &Kept) -> PathBuf {
    kept.folder().join("index/words")
}

fn vectors(kept: &Kept) -> PathBuf {
    let all = files(&kept.folder().join("index"));
    let found = all
        .into_iter()
        .find(|path| path.extension() == Some("bin".as_ref()));
    found.unwrap()
}

/// Damages the files of a closed memory, opens it, and looks whether all is found again. Gives the
/// notes of both indexes.
async fn after(damage: impl Fn(&Kept)) -> (String, String) {
    let mut kept = filled().await;
    kept.close().await;
    damage(&kept);
    kept.open().await;
    kept.settled().await;
    let (stages, recalls) = kept.ask("Where did Bo move?").await;
    assert_eq!(recalls[0].segment, TEXTS[3]);
    let told = stages.first().map(|stage| stage.note.clone());
    assert_eq!(told, Some(kept.index("lexical").await.note), "told once");
    let (stages, _) = kept.ask("Where does Bo live?").await;
    let noted: Vec<_> = stages
        .iter()
        .filter(|stage| !stage.note.is_empty())
        .collect();
    assert!(
        noted.is_empty(),
        "once made anew there is nothing to say: {noted:?}"
    );
    let (_, by_meaning) = kept.ask("car").await;
    assert_eq!(by_meaning[0].segment, TEXTS[0]);
    (
        kept.index("lexical").await.note,
        kept.index("vector").await.note,
    )
}

fn largest(folder: &Path, end: &str) -> PathBuf {
    let all = files(folder).into_iter();
    let found = all
        .filter(|path| path.extension().is_some_and(|known| known == end))
        .max_by_key(|path| fs::metadata(path).unwrap().len());
    found.unwrap()
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

#[tokio::test]
async fn undamaged_files_are_used_as_they_are() {
    assert_eq!(after(|_| ()).await, (String::new(), String::new()));
}

#[tokio::test]
async fn the_first_vectors_of_what_was_kept_without_a_model_are_no_loss() {
    let mut kept = Kept::new().await;
    *kept.models().name.lock().unwrap() = None;
    for text in TEXTS {
        kept.write(text).await;
    }
    kept.close().await;
    *kept.models().name.lock().unwrap() = Some("words");
    kept.open().await;
    kept.settled().await;
    let (stages, recalls) = kept.ask("Where is the car?").await;
    assert_eq!(recalls[0].segment, TEXTS[0], "the model found it");
    let notes: Vec<&str> = stages.iter().map(|stage| stage.note.as_str()).collect();
    assert!(
        notes.iter().all(|note| !note.contains("made anew")),
        "{notes:?}"
    );
}

#[tokio::test]
async fn a_deleted_index_is_made_anew() {
    let notes = after(|kept| fs::remove_dir_all(kept.folder().join("index")).unwrap()).await;
    let none = "made anew: there was no ";
    assert_eq!(notes, (format!("{none}index"), format!("{none}file")));
    let notes = after(|kept| fs::remove_file(words(kept).join("meta.json")).unwrap()).await;
    assert_eq!(
        notes,
        ("made anew: there was no index".to_owned(), String::new())
    );
}

#[tokio::test]
async fn a_file_in_place_of_a_folder_and_a_folder_in_place_of_a_file_are_made_anew() {
    let notes = after(|kept| {
        let index = kept.folder().join("index");
        fs::remove_dir_all(&index).unwrap();
        fs::write(&index, "").unwrap();
    })
    .await;
    assert!(notes.0.starts_with("made anew: "), "{notes:?}");
    let notes = after(|kept| {
        fs::remove_dir_all(words(kept)).unwrap();
        fs::write(words(kept), "").unwrap();
        let vectors = vectors(kept);
        fs::remove_file(&vectors).unwrap();
        fs::create_dir_all(vectors.join("deep")).unwrap();
    })
    .await;
    assert!(notes.0.starts_with("made anew: "), "{notes:?}");
}

/// A pipe: opening it to read waits for whoever writes.
fn pipe(at: &Path) {
    let _absent = fs::remove_file(at);
    let made = std::process::Command::new("mkfifo").arg(at).status();
    assert!(made.unwrap().success());
}

#[tokio::test]
async fn a_pipe_or_a_socket_in_place_of_a_file_hangs_nothing() {
    for name in ["meta.json", "stray"] {
        let notes = after(|kept| pipe(&words(kept).join(name))).await;
        assert_eq!(notes.0, format!("made anew: {name} is no file"));
    }
    let notes = after(|kept| pipe(&vectors(kept))).await;
    assert_eq!(notes.1, "made anew: there was no file");
    for make in [pipe, |at: &Path| {
        fs::remove_file(at).unwrap();
        // The socket stays when its listener goes.
        drop(std::os::unix::net::UnixListener::bind(at).unwrap());
    }] {
        let notes = after(|kept| make(&kept.folder().join("vectors.db"))).await;
        assert_eq!(notes.1, "made anew: it is no file");
    }
    let notes = after(|kept| {
        let file = kept.folder().join("vectors.db");
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
    })
    .await;
    assert_eq!(notes.1, "made anew: it is a folder");
}

#[tokio::test]
async fn vectors_whose_store_is_gone_are_made_anew_and_not_only_kept_in_their_index() {
    let notes = after(|kept| fs::remove_file(kept.folder().join("vectors.db")).unwrap()).await;
    assert_eq!(notes.1, "made anew: there was no file");
    let mut kept = filled().await;
    kept.close().await;
    fs::remove_file(kept.folder().join("vectors.db")).unwrap();
    kept.open().await;
    kept.ask("Where did Bo move?").await;
    kept.settled().await;
    kept.close().await;
    fs::remove_dir_all(kept.folder().join("index")).unwrap();
    kept.open().await;
    let stats = kept.service().stats().await.unwrap();
    assert_eq!(
        (stats.embedder.as_str(), stats.indexes[1].entries),
        ("made/words", 4)
    );
}

#[tokio::test]
async fn damaged_vectors_are_told_once_and_stay_in_the_statistics() {
    let mut kept = filled().await;
    kept.close().await;
    let file = kept.folder().join("vectors.db");
    fs::write(&file, vec![7; 8_192]).unwrap();
    kept.open().await;
    let noted = kept.index("vector").await.note;
    assert!(
        noted.starts_with("made anew: damaged"),
        "before a model: {noted}"
    );
    kept.settled().await;
    let mut told = Vec::new();
    for question in ["Where did Bo move?", "Where does Bo live?"] {
        let (stages, _) = kept.ask(question).await;
        let vector = stages.into_iter().find(|stage| stage.name == "vector");
        told.push(vector.unwrap().note);
    }
    assert_eq!(told, [noted.clone(), String::new()]);
    assert_eq!(kept.index("vector").await.note, noted);
}

#[tokio::test]
async fn a_pipe_beside_the_store_keeps_nothing_from_being_forgotten() {
    let kept = filled().await;
    pipe(&kept.folder().join("pipe"));
    let id = kept.ids("Where did Bo move?").await[0];
    let forgotten = kept.service().forget(id);
    let forgotten = contracts::within("it is forgotten", forgotten).await;
    assert_eq!(forgotten.unwrap().entries, 1);
}

#[tokio::test]
async fn an_index_is_the_users_alone() {
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let kept = filled().await;
    let index = kept.folder().join("index");
    assert_eq!((mode(&index), mode(&words(&kept))), (0o700, 0o700));
    for file in files(&index) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[tokio::test]
async fn a_vector_is_forgotten_before_any_model_was_asked() {
    let mut kept = filled().await;
    let before = fs::metadata(vectors(&kept)).unwrap().len();
    let id = kept.ids("Where did Bo move?").await[0];
    kept.close().await;
    kept.models().asked.store(0, Ordering::Relaxed);
    kept.open().await;
    kept.service().forget(id).await.unwrap();
    assert_eq!(kept.models().asked.load(Ordering::Relaxed), 0);
    assert!(fs::metadata(vectors(&kept)).unwrap().len() < before);
}

#[tokio::test]
async fn a_file_cut_short_is_made_anew() {
    let notes = after(|kept| {
        let path = largest(&words(kept), "idx");
        fs::write(&path, b"").unwrap();
        let bytes = fs::read(vectors(kept)).unwrap();
        fs::write(vectors(kept), &bytes[..bytes.len() - 7]).unwrap();
    })
    .await;
    assert!(notes.0.starts_with("made anew: "), "{notes:?}");
    assert_eq!(notes.1, "made anew in part: damaged or cut short");
}

#[tokio::test]
async fn a_flipped_bit_is_noticed() {
    let notes = after(|kept| {
        flip(&largest(&words(kept), "term"), 3);
        flip(&vectors(kept), 100);
    })
    .await;
    assert!(notes.0.contains("does not fit its checksum"), "{notes:?}");
    assert_eq!(notes.1, "made anew in part: damaged or cut short");
}

#[tokio::test]
async fn another_form_is_made_anew() {
    let notes = after(|kept| {
        let meta = words(kept).join("meta.json");
        let text = fs::read_to_string(&meta).unwrap();
        let (begin, end) = text.split_once("\"payload\": \"4 ").unwrap();
        fs::write(&meta, format!("{begin}\"payload\": \"9 {end}")).unwrap();
        flip(&vectors(kept), 8);
    })
    .await;
    assert!(notes.0.contains("of another form"), "{notes:?}");
    assert_eq!(notes.1, "made anew: of another model or form, or damaged");
}

#[tokio::test]
async fn a_copy_of_the_store_put_back_does_not_answer_with_what_came_after_it() {
    let mut kept = filled().await;
    kept.close().await;
    let (store, copy) = (kept.folder().join("memory.db"), kept.folder().join("copy"));
    fs::copy(&store, &copy).unwrap();
    kept.open().await;
    kept.write("The pantry behind the kitchen holds marmalade.")
        .await;
    kept.service().reindex().await.unwrap();
    kept.close().await;
    fs::rename(&copy, &store).unwrap();
    kept.open().await;
    // The next entry gets the number that the lost one had.
    kept.write("Zebras sleep standing.").await;
    kept.settled().await;
    assert!(
        kept.index("lexical")
            .await
            .note
            .contains("of another state of the store")
    );
    let (_, recalls) = kept.ask("marmalade in the pantry").await;
    assert!(
        recalls
            .iter()
            .all(|recall| !recall.segment.contains("marmalade"))
    );
    let about_zebras = |text: &str| text.contains("Zebras");
    assert!(
        recalls
            .first()
            .is_none_or(|best| !about_zebras(&best.segment) || best.relevance < 0.5)
    );
    assert!(about_zebras(&kept.ask("zebras").await.1[0].segment));
}

#[tokio::test]
async fn what_is_written_is_found_by_the_next_question() {
    let kept = Kept::new().await;
    for number in 0..50 {
        let id = kept
            .write(&format!("Locker {number} holds item{number}x."))
            .await;
        let found = kept.ids(&format!("where is item{number}x")).await;
        assert_eq!(found.first(), Some(&id), "{number}");
    }
}

#[tokio::test]
async fn what_was_corrected_is_never_found() {
    let kept = filled().await;
    let first = kept.ids("where does Bo live Lisbon").await[0];
    let mut correction = request("user", "Bo moved to Porto in 2022.");
    correction.supersedes = Some(first);
    let second = stored(kept.service(), correction).await;
    for _ in 0..2 {
        let found = kept.ids("where does Bo live, Lisbon or Porto?").await;
        assert!(found.contains(&second) && !found.contains(&first));
        kept.settled().await;
    }
}

#[tokio::test]
async fn without_a_model_words_are_enough() {
    let kept = Kept::with(std::sync::Arc::new(Words::default())).await;
    let id = kept.write(TEXTS[3]).await;
    let (stages, recalls) = kept.ask("When did Bo move?").await;
    assert_eq!(recalls[0].id, id);
    let vector = stages.iter().find(|stage| stage.name == "vector").unwrap();
    assert!(vector.note.contains("words alone"), "{}", vector.note);
    let stats = kept.service().stats().await.unwrap();
    assert!(stats.embedder.starts_with("none: "), "{}", stats.embedder);
    assert_eq!(stats.indexes[1].entries, 0);
}

#[tokio::test]
async fn an_entry_without_a_vector_is_found_beside_those_that_have_one() {
    let kept = filled().await;
    *kept.models().name.lock().unwrap() = None;
    let id = kept.write("The harbour office opens at nine.").await;
    assert_eq!(kept.ids("When does the harbour office open?").await[0], id);
    let index = kept.index("vector").await;
    assert_eq!((index.entries, index.of), (4, 5));
}

#[tokio::test]
async fn a_text_that_the_model_refuses_stops_no_other() {
    let kept = Kept::new().await;
    *kept.models().refused.lock().unwrap() = Some("endless");
    kept.write("A red kite.").await;
    let refused = kept.write("The endless story of it all.").await;
    kept.write("I bought a car.").await;
    while kept.index("vector").await.entries < 3 {
        tokio::task::yield_now().await;
    }
    // Its name has a vector, its text none: it is found by its words.
    assert_eq!(kept.ids("an endless story").await, [refused]);
    let (stages, recalls) = kept.ask("Which automobile?").await;
    let vector = stages.iter().find(|stage| stage.name == "vector").unwrap();
    assert!(!vector.note.contains("no vector"), "{}", vector.note);
    assert!(recalls[0].segment.contains("car"));
    let stats = kept.service().stats().await.unwrap();
    assert_eq!(stats.refused, [refused]);
}

#[tokio::test]
async fn an_entry_whose_every_text_is_refused_is_named_until_the_model_takes_it() {
    let mut kept = Kept::new().await;
    *kept.models().refused.lock().unwrap() = Some("endless");
    kept.write("A red kite.").await;
    let mut endless = request("user", "endless");
    if let WriteEntry::Memory { name, .. } = &mut endless.entry {
        *name = "endless".to_owned();
    }
    let refused = stored(kept.service(), endless).await;
    kept.settled().await;
    let vectors = |stats: &Stats| (stats.indexes[1].entries, stats.indexes[1].of);
    let stats = kept.service().stats().await.unwrap();
    assert_eq!(
        (vectors(&stats), &stats.refused[..]),
        ((1, 1), &[refused][..])
    );
    let (stages, _) = kept.ask("Which bird?").await;
    let vector = stages.iter().find(|stage| stage.name == "vector").unwrap();
    assert!(!vector.note.contains("no vector"), "{}", vector.note);

    // Another process knows it without a model, and does not ask for the text again.
    kept.close().await;
    *kept.models().name.lock().unwrap() = None;
    kept.open().await;
    let stats = kept.service().stats().await.unwrap();
    assert_eq!(
        (vectors(&stats), &stats.refused[..]),
        ((1, 1), &[refused][..])
    );

    // A server that was given a larger limit is asked again by a reindex.
    kept.close().await;
    *kept.models().name.lock().unwrap() = Some("words");
    *kept.models().refused.lock().unwrap() = None;
    kept.open().await;
    let stats = kept.service().reindex().await.unwrap();
    assert_eq!((vectors(&stats), &stats.refused[..]), ((2, 2), &[][..]));
}

#[tokio::test]
async fn another_model_makes_every_vector_anew() {
    let mut kept = filled().await;
    kept.close().await;
    *kept.models().name.lock().unwrap() = Some("words of another make");
    kept.open().await;
    kept.settled().await;
    assert_eq!(kept.ask("car").await.1[0].segment, TEXTS[0]);
    let stats = kept.service().stats().await.unwrap();
    assert_eq!(stats.embedder, "made/words of another make");
    let files = files(&kept.folder().join("index"));
    let columns = files
        .iter()
        .filter(|path| path.extension() == Some("bin".as_ref()));
    assert_eq!(columns.count(), 1, "the file of the other model is gone");
}

#[tokio::test]
async fn a_model_that_changes_meanwhile_is_not_compared() {
    let kept = filled().await;
    *kept.models().name.lock().unwrap() = Some("words of another make");
    let (stages, _) = kept.ask("car").await;
    let vector = stages.iter().find(|stage| stage.name == "vector").unwrap();
    assert!(vector.note.contains("has changed"), "{}", vector.note);
    loop {
        let (_, recalls) = kept.ask(&format!("car {}", uuid::Uuid::now_v7())).await;
        if recalls.first().is_some_and(|best| best.segment == TEXTS[0]) {
            break;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_ask_while_others_write() {
    let kept = filled().await;
    let service = kept.service();
    let writing = async {
        for number in 0..60 {
            let text = format!("Note {number} about a thing called thing{number}q.");
            stored(service, request("user", &text)).await;
        }
    };
    let asking = (0..8).map(|asker| async move {
        for round in 0..20 {
            let text = format!("Where did Bo move to? {asker} {round}");
            let (_, recalls) = support::ask(service, question(&text)).await;
            assert!(
                recalls.iter().any(|recall| recall.segment == TEXTS[3]),
                "{text}"
            );
        }
    });
    futures::future::join(writing, futures::future::join_all(asking)).await;
    for number in 0..60 {
        let found = kept.ask(&format!("thing{number}q")).await.1;
        assert!(found[0].segment.contains(&format!("thing{number}q")));
    }
}

#[tokio::test]
async fn what_is_forgotten_is_in_no_index() {
    let kept = filled().await;
    let id = kept
        .write("The xylograph hangs in Qaanaaq beside the jukebox.")
        .await;
    kept.settled().await;
    let before = fs::metadata(vectors(&kept)).unwrap().len();
    kept.ask("What hangs beside the jukebox?").await;
    let forgotten = kept.service().forget(id).await.unwrap();
    assert_eq!(forgotten.entries, 1);
    assert!(
        kept.ids("xylograph in Qaanaaq beside the jukebox")
            .await
            .iter()
            .all(|known| *known != id)
    );
    assert!(fs::metadata(vectors(&kept)).unwrap().len() < before);
    let events = kept
        .service()
        .query(question("What hangs beside the jukebox?"))
        .await;
    assert!(events.is_ok());
}

#[tokio::test]
async fn asking_for_new_indexes_gives_the_same_answers() {
    let kept = filled().await;
    let before = kept.ids("Which beans does Ada grow?").await;
    let stats = kept.service().reindex().await.unwrap();
    assert!(stats.indexes.iter().all(|index| index.entries == index.of));
    assert_eq!(kept.ids("Which beans does Ada grow?").await, before);
}

#[tokio::test]
async fn the_first_question_after_a_start_is_answered_by_meaning() {
    let mut kept = filled().await;
    kept.close().await;
    kept.open().await;
    let (stages, recalls) = kept.ask("car").await;
    assert_eq!(recalls[0].segment, TEXTS[0]);
    let vector = stages.iter().find(|stage| stage.name == "vector").unwrap();
    assert!(vector.seen > 0 && vector.note.is_empty(), "{vector:?}");
}

#[tokio::test]
async fn looking_and_adding_ask_no_model() {
    let mut kept = filled().await;
    kept.close().await;
    kept.models().asked.store(0, Ordering::Relaxed);
    kept.open().await;
    let id = kept.write("The harbour office opens at nine.").await;
    kept.service().show(id).await.unwrap();
    let stats = kept.service().stats().await.unwrap();
    let vector = &stats.indexes[1];
    assert_eq!(stats.embedder, "made/words");
    assert_eq!((vector.entries, vector.of), (4, 5));
    assert_eq!(kept.models().asked.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn questions_of_processes_that_end_at_once_make_every_vector_in_the_end() {
    let mut kept = Kept::with(std::sync::Arc::new(Words::default())).await;
    let many = (0..200).map(|number| {
        let text = format!("Locker {number} holds item{number}x.");
        let service = kept.service();
        async move { stored(service, request("user", &text)).await }
    });
    futures::future::join_all(many).await;
    *kept.models().name.lock().unwrap() = Some("words");
    let mut made = 0;
    while made < 200 {
        kept.close().await;
        kept.open().await;
        let (stages, _) = kept.ask(&format!("what is in locker {made}")).await;
        let vector = stages.into_iter().find(|stage| stage.name == "vector");
        let now = kept.index("vector").await.entries;
        assert!(now > made, "{made} vectors stay {now}: {vector:?}");
        made = now;
    }
}
