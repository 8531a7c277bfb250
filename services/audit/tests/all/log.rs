//! The log on a real disk: chain, permissions, lock, restarts, what stops a start.

use crate::place::{Place, entry};
use api::audit::{Action, Audit, Durability, Entry};
use audit::read::Query;
use audit::{Error, Service};
use domain::Timestamp;
use domain::hash::Digest;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

#[tokio::test]
async fn records_are_numbered_and_chained_across_restarts() {
    let place = Place::new();
    for round in 0..3_u64 {
        let service = place.open();
        for n in 0..3_u64 {
            let ack = service
                .append(entry("x"), Durability::Durable)
                .await
                .unwrap();
            assert_eq!(ack.sequence, round * 3 + n + 1);
        }
    }
    let mut previous = Digest::from_bytes([0; 32]);
    for placed in place.records() {
        assert_eq!(placed.previous, previous);
        previous = placed.hash;
    }
    assert_eq!(place.records().len(), 9);
    let report = place.verify(None);
    assert!(report.is_whole() && !report.is_incomplete(), "{report:?}");
    assert_eq!(
        (report.checkpoints.good, report.checkpoints.covered),
        (3, 9)
    );
}

#[tokio::test]
async fn only_the_user_can_read_it_and_no_link_is_followed() {
    let place = Place::new();
    place.fill(1).await;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let config = place.config();
    for folder in [&config.folder, &config.keys] {
        assert_eq!(mode(folder), 0o700);
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }
    let segment = place.segments().pop().unwrap();
    let elsewhere = place.root().join("elsewhere");
    std::fs::rename(&segment, &elsewhere).unwrap();
    symlink(&elsewhere, &segment).unwrap();
    assert!(matches!(
        Service::open(place.config()),
        Err(Error::Io { .. })
    ));
}

#[tokio::test]
async fn two_writers_are_refused_and_a_reader_is_not() {
    let place = Place::new();
    let first = place.open();
    assert!(matches!(
        Service::open(place.config()),
        Err(Error::Locked { .. })
    ));
    first
        .append(entry("still works"), Durability::Grouped)
        .await
        .unwrap();
    assert_eq!(place.records()[0].record.detail, "still works");
    let note = audit::anchor::sign(&place.config()).unwrap().unwrap();
    let is_let_go = async |within| {
        audit::is_let_go(&place.config().folder, Duration::from_millis(within)).await
    };
    assert!(!is_let_go(20).await);
    drop(first);
    assert!(is_let_go(20).await);
    assert!(place.verify(Some(&note)).anchored() == 1);
}

#[tokio::test]
async fn a_torn_tail_is_cut_at_every_byte_and_recorded() {
    let place = Place::new();
    // Without its last checkpoint the log is as a crash leaves it.
    place.fill(2).await;
    place.forget_checkpoints();
    let segment = place.segments().pop().unwrap();
    let whole = std::fs::read(&segment).unwrap();
    let torn_at = usize::try_from(place.records()[1].offset).unwrap();
    for length in torn_at..whole.len() {
        std::fs::write(&segment, &whole[..length]).unwrap();
        place.forget_checkpoints();
        let service = place.open();
        let ack = service
            .append(entry("after"), Durability::Durable)
            .await
            .unwrap();
        drop(service);
        let records = place.records();
        // Cut at the end of a record, there is nothing to recover and nothing to tell.
        let is_torn = length > torn_at;
        let actions: Vec<&str> = records.iter().map(|r| r.record.action.as_str()).collect();
        let expected: &[&str] = if is_torn {
            &["decide", "recovery", "decide"]
        } else {
            &["decide", "decide"]
        };
        assert_eq!(actions, expected);
        if is_torn {
            let detail = format!("cut {} bytes of an unfinished record", length - torn_at);
            assert_eq!(records[1].record.detail, detail);
        }
        assert_eq!(ack.sequence, records.len() as u64);
        assert!(place.verify(None).is_whole());
    }
}

#[tokio::test]
async fn damage_before_the_end_stops_the_start_and_names_the_record() {
    let place = Place::new();
    place.fill(9).await;
    place.forget_checkpoints();
    let fifth = place.records()[4].clone();
    place.bend(&fifth.segment, fifth.offset + 60);
    let Err(Error::Damaged { damage }) = Service::open(place.config()) else {
        panic!("a damaged log was opened")
    };
    assert_eq!((damage.sequence, damage.offset), (5, fifth.offset));
    let error = Service::open(place.config()).unwrap_err();
    assert!(error.to_string().contains("record 5 at byte"), "{error}");
}

#[tokio::test]
async fn a_log_that_lost_records_its_checkpoint_covers_does_not_start() {
    let place = Place::new();
    place.fill(9).await;
    let fifth = place.records()[4].clone();
    place.cut(&fifth.segment, fifth.offset);
    assert!(matches!(
        Service::open(place.config()),
        Err(Error::Incomplete { .. })
    ));
}

#[tokio::test]
async fn where_only_checkpoints_are_left_nothing_begins_until_they_are_set_aside() {
    let place = Place::new();
    place.fill(9).await;
    let config = place.config();
    let old = audit::anchor::public_key(&config).unwrap().unwrap();
    std::fs::remove_file(place.segments().pop().unwrap()).unwrap();
    let names = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = (names(&config.folder), names(&config.keys));
    let Err(Error::Incomplete { detail }) = Service::open(place.config()) else {
        panic!("a log began among another's checkpoints")
    };
    assert!(
        detail.contains("9 records") && detail.contains("segment"),
        "{detail}"
    );
    assert_eq!((names(&config.folder), names(&config.keys)), before);
    assert!(matches!(
        audit::read::Log::open(&config.folder),
        Err(Error::Incomplete { .. })
    ));

    let aside = audit::anchor::archive(&config, "aside").unwrap().unwrap();
    assert!(
        names(&config.keys).is_empty(),
        "the old key could still sign"
    );
    let kept = std::fs::read_to_string(aside.join("public-key")).unwrap();
    assert_eq!(kept.trim(), old.to_string());
    place.fill(1).await;
    assert_eq!(place.records()[0].record.action, "decide");
}

#[tokio::test]
async fn a_log_set_aside_with_another_in_its_place_leaves_no_key_behind() {
    let place = Place::new();
    place.fill(2).await;
    let config = place.config();
    let old = audit::anchor::public_key(&config).unwrap().unwrap();
    let notes = config.folder.join("checkpoints");
    let checkpoints = std::fs::read(&notes).unwrap();
    std::fs::remove_dir_all(&config.folder).unwrap();
    place.fill(2).await;
    let new = audit::anchor::public_key(&config).unwrap().unwrap();
    std::fs::write(notes, checkpoints).unwrap();
    let aside = audit::anchor::archive(&config, "aside").unwrap().unwrap();
    assert_eq!(std::fs::read_dir(&config.keys).unwrap().count(), 0);
    let kept = std::fs::read_to_string(aside.join("public-key")).unwrap();
    assert_eq!(kept, format!("{new}\n{old}\n"));
}

#[tokio::test]
async fn a_log_with_records_does_not_start_without_its_key() {
    let place = Place::new();
    place.fill(1).await;
    std::fs::remove_dir_all(place.config().keys).unwrap();
    assert!(matches!(
        Service::open(place.config()),
        Err(Error::Key { .. })
    ));
}

#[tokio::test]
async fn an_archived_log_can_be_checked_and_a_fresh_one_begins() {
    let place = Place::new();
    place.fill(3).await;
    let key = audit::anchor::public_key(&place.config()).unwrap().unwrap();
    let service = place.open();
    assert!(matches!(
        audit::anchor::archive(&place.config(), "aside"),
        Err(Error::Locked { .. })
    ));
    drop(service);
    let aside = audit::anchor::archive(&place.config(), "aside")
        .unwrap()
        .unwrap();
    assert_eq!(std::fs::read_dir(place.config().keys).unwrap().count(), 0);
    let kept = std::fs::read_to_string(aside.join("public-key")).unwrap();
    assert_eq!(kept.trim(), key.to_string());
    place.fill(1).await;
    assert_eq!(
        place.records().len(),
        1,
        "a fresh log, with nothing to say about the old one"
    );
}

#[tokio::test]
async fn a_log_that_was_deleted_is_missed_by_the_next_one() {
    let place = Place::new();
    place.fill(3).await;
    std::fs::remove_dir_all(place.config().folder).unwrap();
    place.fill(1).await;
    let records = place.records();
    assert_eq!(records[0].record.action, "recovery");
    assert!(records[0].record.detail.contains("deleted, not archived"));
}

#[tokio::test]
async fn many_writers_at_once_lose_nothing() {
    let place = Place::new();
    let service = place.open();
    let tasks: Vec<_> = (0..8)
        .map(|n| {
            let service = service.clone();
            tokio::spawn(async move {
                for round in 0..50 {
                    let durability = if round % 5 == 0 {
                        Durability::Durable
                    } else {
                        Durability::Grouped
                    };
                    service
                        .append(entry(&format!("{n}")), durability)
                        .await
                        .unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let sequences: Vec<u64> = place.records().iter().map(|r| r.sequence).collect();
    assert_eq!(sequences, (1..=400).collect::<Vec<u64>>());
}

#[tokio::test]
async fn what_could_steer_a_terminal_stays_out() {
    let place = Place::new();
    let service = place.open();
    service
        .append(entry("a\u{1b}[2Jb\nc"), Durability::Grouped)
        .await
        .unwrap();
    assert_eq!(place.records()[0].record.detail, "a[2Jbc");
}

#[tokio::test]
async fn a_clock_that_goes_back_is_recorded_and_no_error() {
    let place = Place::new();
    let service = place.open();
    for second in [100, 50, 75] {
        let time = Timestamp::from_second(second).unwrap();
        service
            .append(Entry::new(time, Action::Decide), Durability::Grouped)
            .await
            .unwrap();
    }
    drop(service);
    let records = place.records();
    let seconds: Vec<i64> = records.iter().map(|r| r.record.time.as_second()).collect();
    assert_eq!(seconds, [100, 50, 75]);
    assert!(records.is_sorted_by_key(|record| record.monotonic_ns));
    assert!(place.verify(None).is_whole());
    // A query by time finds what was recorded with that time, whatever the order.
    let query = Query {
        until: Some(Timestamp::from_second(80).unwrap()),
        ..Query::default()
    };
    let found: Vec<u64> = place
        .log()
        .records(query)
        .map(|r| r.unwrap().sequence)
        .collect();
    assert_eq!(found, [2, 3]);
}

#[tokio::test]
async fn queries_skip_segments_and_find_the_same_as_a_full_read() {
    let place = Place::new();
    let mut config = place.config();
    config.segment_bytes = 2_000;
    let service = Service::open(config).unwrap();
    for second in 0..200 {
        let time = Timestamp::from_second(second).unwrap();
        let mut record = Entry::new(time, Action::Decide);
        record.detail = format!("{second}");
        service.append(record, Durability::Durable).await.unwrap();
    }
    drop(service);
    let segments = place.segments();
    assert!(segments.len() > 5);
    let query = Query {
        since: Some(Timestamp::from_second(150).unwrap()),
        until: Some(Timestamp::from_second(160).unwrap()),
        ..Query::default()
    };
    let found = |query: &Query| -> Vec<i64> {
        let records = place.log().records(query.clone());
        records
            .map(|r| r.unwrap().record.time.as_second())
            .collect()
    };
    assert_eq!(found(&query), (150..=160).collect::<Vec<i64>>());
    // Damage in a segment that cannot hold what is asked for is not even met.
    place.bend(&segments[1], 400);
    assert_eq!(found(&query), (150..=160).collect::<Vec<i64>>());
    let log = place.log();
    let (newest, _) = log.newest(&Query::default(), 30);
    let sequences: Vec<u64> = newest.iter().map(|r| r.sequence).collect();
    assert_eq!(sequences, (171..=200).collect::<Vec<u64>>());
    assert_eq!(log.record(123).unwrap().unwrap().record.detail, "122");
    assert_eq!(log.record(201).unwrap(), None);
    assert_eq!(log.record(0).unwrap(), None);
}

#[tokio::test]
async fn a_follower_sees_what_is_recorded_later_and_the_next_segment() {
    let place = Place::new();
    let mut config = place.config();
    config.segment_bytes = 600;
    let service = Service::open(config).unwrap();
    service
        .append(entry("0"), Durability::Durable)
        .await
        .unwrap();
    let (seen, rest) = place.log().newest(&Query::default(), 10);
    let mut rest = rest.unwrap();
    assert_eq!(seen.len(), 1);
    let mut details = Vec::new();
    for n in 1..40 {
        service
            .append(entry(&n.to_string()), Durability::Durable)
            .await
            .unwrap();
        if n % 7 == 0 {
            rest.refresh().unwrap();
            details.extend(rest.by_ref().map(|r| r.unwrap().record.detail));
        }
    }
    drop(service);
    rest.refresh().unwrap();
    details.extend(rest.by_ref().map(|r| r.unwrap().record.detail));
    let expected: Vec<String> = (1..40).map(|n| n.to_string()).collect();
    assert_eq!(details, expected);
    assert!(place.segments().len() > 3);
}
