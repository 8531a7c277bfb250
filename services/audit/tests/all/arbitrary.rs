//! Arbitrary bytes where a log should be: read or refused, never a panic.

use crate::place::Place;
use audit::Service;
use audit::read::{Log, Query};
use proptest::prelude::*;
use std::fs;

/// Everything that reads a log, on whatever is there.
fn read_all(place: &Place) {
    let config = place.config();
    if let Some(log) = Log::open(&config.folder).unwrap() {
        let count = log
            .records(Query::default())
            .take_while(Result::is_ok)
            .count();
        let (newest, _) = log.newest(&Query::default(), 3);
        assert!(newest.len() <= 3.min(count));
        assert!(log.record(1).is_err() || log.record(1).unwrap().is_some() == (count > 0));
        let report = place.verify(None);
        assert!(report.records <= count as u64 || count == 0);
    }
    drop(Service::open(config));
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_segment_of_arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let place = Place::new();
        let folder = place.config().folder;
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("00000000000000000001.seg"), bytes).unwrap();
        read_all(&place);
    }

    #[test]
    fn arbitrary_bytes_within_a_log(
        file in 0_usize..3,
        at in any::<prop::sample::Index>(),
        bytes in proptest::collection::vec(any::<u8>(), 1..200),
        cut in any::<bool>(),
    ) {
        let place = Place::new();
        runtime().block_on(place.fill(5));
        let folder = place.config().folder;
        let name = ["00000000000000000001.seg", "checkpoints", "mark"][file];
        let path = folder.join(name);
        let mut whole = fs::read(&path).unwrap();
        let at = at.index(whole.len());
        let end = if cut { whole.len() } else { (at + bytes.len()).min(whole.len()) };
        whole.splice(at..end, bytes);
        fs::write(&path, whole).unwrap();
        read_all(&place);
    }
}
