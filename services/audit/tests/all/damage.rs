//! What happens to a log that is cut, bent, swapped, deleted or rebuilt: what `verify` sees with an
//! anchor, and what it cannot see without one.

use crate::place::Place;
use audit::Service;
use audit::checkpoint::PublicKey;
use audit::error::{Damage, Wrong};
use audit::verify::{Anchor, Problem, Report};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Records of a segment that is harmed at every place.
const RECORDS: usize = 200;

/// A log of so many records, stopped cleanly, and where each frame begins and the last one ends.
async fn filled() -> (Place, Vec<u64>) {
    let place = Place::new();
    place.fill(RECORDS).await;
    let mut starts: Vec<u64> = place.records().iter().map(|record| record.offset).collect();
    starts.push(std::fs::metadata(&place.segments()[0]).unwrap().len());
    (place, starts)
}

/// The record that a byte belongs to; 0 for the header.
fn owner(starts: &[u64], byte: u64) -> u64 {
    starts.partition_point(|start| *start <= byte) as u64
}

/// The record that a report names.
fn named(report: &Report) -> u64 {
    match &report.problem {
        Some(Problem::Record(damage)) => damage.sequence,
        Some(Problem::Segment { sequence, .. }) => sequence - 1,
        // An unfinished end: its first record is the one that is missing.
        None => report.records + 1,
    }
}

#[tokio::test]
async fn a_cut_at_every_byte_is_seen_and_the_record_named() {
    let (place, starts) = filled().await;
    let segment = place.segments().pop().unwrap();
    let end = *starts.last().unwrap();
    for length in (starts[0]..end).rev() {
        place.cut(&segment, length);
        let report = place.verify(None);
        let lost = owner(&starts, length).max(1);
        assert!(report.is_incomplete(), "{length}: {report:?}");
        assert_eq!(
            (report.problem.as_ref(), named(&report)),
            (None, lost),
            "{length}"
        );
        let torn = length - starts[usize::try_from(lost - 1).unwrap()];
        assert_eq!(report.unfinished_bytes, torn);
    }
    for length in (0..starts[0]).rev() {
        place.cut(&segment, length);
        let report = place.verify(None);
        assert!(
            matches!(report.problem, Some(Problem::Segment { sequence: 1, .. })),
            "{length}"
        );
    }
}

/// Flips every bit of some bytes and checks each time. Signatures are left out: nothing but the
/// records themselves gives a flip away here.
fn flip(place: &Place, starts: &[u64], bytes: impl Iterator<Item = u64>) {
    place.forget_checkpoints();
    std::fs::remove_dir_all(place.config().keys).unwrap();
    let segment = place.segments().pop().unwrap();
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&segment)
        .unwrap();
    for byte in bytes {
        let mut whole = [0];
        file.read_exact_at(&mut whole, byte).unwrap();
        for bit in 0..8 {
            file.write_all_at(&[whole[0] ^ (1 << bit)], byte).unwrap();
            let report = place.verify(None);
            let is_seen = !report.is_whole() || report.unfinished_bytes > 0;
            assert!(is_seen, "bit {bit} of byte {byte}: {report:?}");
            let expected = owner(starts, byte);
            assert_eq!(
                named(&report),
                expected,
                "bit {bit} of byte {byte}: {report:?}"
            );
        }
        file.write_all_at(&whole, byte).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flip_of_every_bit_is_seen_and_the_record_named() {
    const SHARES: u64 = 2;
    let mut running = Vec::new();
    for share in 0..SHARES {
        let (place, starts) = filled().await;
        let end = *starts.last().unwrap();
        running.push(tokio::task::spawn_blocking(move || {
            let bytes = (0..end).filter(|byte| byte % SHARES == share);
            flip(&place, &starts, bytes);
        }));
    }
    for share in running {
        share.await.unwrap();
    }
}

/// A log in several segments, with an anchor and a key that were kept elsewhere.
async fn anchored() -> (Place, String, PublicKey) {
    let place = Place::new();
    let mut config = place.config();
    config.segment_bytes = 4_000;
    let service = Service::open(config).unwrap();
    place.append(&service, 0..RECORDS).await;
    drop(service);
    let note = audit::anchor::sign(&place.config()).unwrap().unwrap();
    let key = audit::anchor::public_key(&place.config()).unwrap().unwrap();
    assert!(place.segments().len() > 4);
    (place, note, key)
}

#[tokio::test]
async fn a_whole_log_holds_its_anchor_also_after_it_grew() {
    let (place, note, key) = anchored().await;
    place.fill(10).await;
    let report = place.verify_by(Some(&note), Some(&key));
    assert!(report.is_whole() && !report.is_incomplete(), "{report:?}");
    assert_eq!((report.anchored(), report.records), (200, 210));
}

#[tokio::test]
async fn a_cut_tail_is_seen_with_an_anchor_and_not_without() {
    let (place, note, key) = anchored().await;
    let last = place.records()[198].clone();
    place.cut(&last.segment, last.offset);
    place.forget_checkpoints();
    let blind = place.verify(None);
    assert!(blind.is_whole() && !blind.is_incomplete(), "{blind:?}");
    let report = place.verify_by(Some(&note), Some(&key));
    assert_eq!(report.anchor, Some(Anchor::Missing { size: 200 }));
    assert!(report.is_whole() && report.is_incomplete());
}

#[tokio::test]
async fn a_deleted_segment_is_seen_in_the_middle_always_and_at_the_end_with_an_anchor() {
    let (place, _, _) = anchored().await;
    let segments = place.segments();
    std::fs::remove_file(&segments[1]).unwrap();
    let report = place.verify(None);
    let Some(Problem::Segment { path, what, .. }) = &report.problem else {
        panic!("{report:?}")
    };
    assert_eq!(path, &segments[2]);
    assert!(what.contains("are missing"), "{what}");

    let (place, _, _) = anchored().await;
    std::fs::remove_file(&place.segments()[0]).unwrap();
    assert!(
        !place.verify(None).is_whole(),
        "the first segment is missed"
    );

    let (place, note, key) = anchored().await;
    std::fs::remove_file(place.segments().pop().unwrap()).unwrap();
    place.forget_checkpoints();
    assert!(!place.verify(None).is_incomplete());
    let report = place.verify_by(Some(&note), Some(&key));
    assert_eq!(report.anchor, Some(Anchor::Missing { size: 200 }));
}

#[tokio::test]
async fn a_log_of_which_only_checkpoints_are_left_is_seen_without_an_anchor() {
    let (place, note, key) = anchored().await;
    for segment in place.segments() {
        std::fs::remove_file(segment).unwrap();
    }
    let report = place.verify(None);
    assert!(report.is_gone() && report.is_incomplete(), "{report:?}");
    assert_eq!((report.records, report.checkpoints.claimed), (0, 200));
    assert_eq!(report.origin, key.name());
    let report = place.verify_by(Some(&note), Some(&key));
    assert_eq!(report.anchor, Some(Anchor::Missing { size: 200 }));

    // The same where nobody can check the signatures any more, and where the rest is bent as well.
    std::fs::remove_dir_all(place.config().keys).unwrap();
    assert!(place.verify(None).is_incomplete());
    place.bend(&place.config().folder.join("checkpoints"), 0);
    let report = place.verify(None);
    assert!(report.is_incomplete() && !report.is_whole(), "{report:?}");
}

#[tokio::test]
async fn a_log_that_is_shorter_than_its_newest_checkpoint_is_not_signed() {
    let refused = |place: &Place| {
        let error = audit::anchor::sign(&place.config()).unwrap_err();
        assert!(matches!(error, audit::Error::Incomplete { .. }), "{error}");
        error.to_string()
    };
    let (place, _, _) = anchored().await;
    let last = place.segments().pop().unwrap();
    std::fs::remove_file(last).unwrap();
    assert!(refused(&place).contains("a segment is gone"));
    for segment in place.segments() {
        std::fs::remove_file(segment).unwrap();
    }
    assert!(refused(&place).contains("cover 200 records"));
}

#[tokio::test]
async fn a_log_that_was_deleted_and_begun_anew_is_seen_with_an_anchor() {
    let (place, note, key) = anchored().await;
    std::fs::remove_dir_all(place.config().folder).unwrap();
    std::fs::remove_dir_all(place.config().keys).unwrap();
    place.fill(RECORDS).await;
    let blind = place.verify(None);
    assert!(blind.is_whole() && !blind.is_incomplete(), "{blind:?}");
    let report = place.verify_by(Some(&note), Some(&key));
    assert!(
        matches!(report.anchor, Some(Anchor::OtherLog { .. })),
        "{report:?}"
    );
    assert!(report.is_incomplete());
}

#[tokio::test]
async fn swapped_records_are_seen_and_the_first_of_them_named() {
    let (place, starts) = filled().await;
    let segment = place.segments().pop().unwrap();
    let mut bytes = std::fs::read(&segment).unwrap();
    let at = |n: usize| usize::try_from(starts[n]).unwrap();
    let (first, second) = (
        bytes[at(9)..at(10)].to_vec(),
        bytes[at(10)..at(11)].to_vec(),
    );
    bytes.splice(at(9)..at(11), [second, first].concat());
    std::fs::write(&segment, bytes).unwrap();
    let report = place.verify(None);
    let expected = Damage {
        segment,
        sequence: 10,
        offset: starts[9],
        what: Wrong::Sequence(11),
    };
    assert_eq!(report.problem, Some(Problem::Record(expected)));
}

/// Someone writes a history of their own, correct in every checksum, hash and segment, under the
/// same log id, and signs it with a key of their own, because they have not the log's.
#[tokio::test]
async fn a_chain_rebuilt_without_the_key_is_seen_by_its_own_checkpoints_and_by_an_anchor() {
    let (place, note, key) = anchored().await;
    let rebuilt = Place::new();
    let mut config = rebuilt.config();
    config.segment_bytes = 4_000;
    let service = Service::open(config).unwrap();
    rebuilt.append(&service, 1_000..1_000 + RECORDS).await;
    drop(service);
    rebuilt.rename_log(&key);

    // Their checkpoints do not bear the log's signature.
    place.replace_log_by(&rebuilt);
    let report = place.verify(None);
    assert!(report.problem.is_none() && !report.is_whole(), "{report:?}");
    assert!(report.checkpoints.wrong.is_some());

    // They put the log's true checkpoints back: these cover other records.
    place.put_checkpoint(&note);
    let report = place.verify(None);
    assert!(!report.is_whole(), "{report:?}");

    // They leave no checkpoint at all: without an anchor nothing is seen.
    place.forget_checkpoints();
    let blind = place.verify(None);
    assert!(blind.is_whole() && !blind.is_incomplete(), "{blind:?}");
    let report = place.verify_by(Some(&note), Some(&key));
    assert_eq!(report.anchor, Some(Anchor::Other { size: 200 }));
    assert!(!report.is_whole());
}

#[tokio::test]
async fn an_anchor_that_was_changed_or_signed_by_another_proves_nothing() {
    let (place, note, key) = anchored().await;
    let fewer = note.replacen("\n200\n", "\n199\n", 1);
    let report = place.verify_by(Some(&fewer), Some(&key));
    assert!(
        matches!(report.anchor, Some(Anchor::Unproven { .. })),
        "{report:?}"
    );
    let (_, other_note, other_key) = anchored().await;
    let report = place.verify_by(Some(&note), Some(&other_key));
    assert!(
        matches!(report.anchor, Some(Anchor::Unproven { .. })),
        "{report:?}"
    );
    let report = place.verify_by(Some(&other_note), Some(&key));
    assert!(
        matches!(report.anchor, Some(Anchor::OtherLog { .. })),
        "{report:?}"
    );
}

#[tokio::test]
async fn a_bent_checkpoint_is_seen() {
    let (place, _, _) = anchored().await;
    let file: PathBuf = place.config().folder.join("checkpoints");
    let length = std::fs::metadata(&file).unwrap().len();
    for offset in (0..length).step_by(7) {
        place.bend(&file, offset);
        let report = place.verify(None);
        let checkpoints = &report.checkpoints;
        assert!(
            checkpoints.wrong.is_some() || checkpoints.is_unfinished,
            "byte {offset}: {report:?}"
        );
        place.bend(&file, offset);
    }
    assert!(place.verify(None).is_whole());
}
