//! What must survive whatever a model says: pinned messages, what the user wants kept to, and
//! corrections over what they correct.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use generated::exchanges::Kind;
use retention::measure::{Kept, measure};
use retention::summariser::Summariser;

async fn over_seeds(
    mut summariser: Summariser,
    (compactions, context_tokens): (usize, u32),
) -> Kept {
    let mut kept = Kept::default();
    for seed in 0..6 {
        kept.add(&measure(seed, (compactions, context_tokens), &mut summariser).await);
    }
    kept
}

#[tokio::test]
async fn pinned_messages_rules_and_corrections_survive_any_number_of_compactions() {
    for (compactions, context_tokens) in [(1, 32_768), (3, 32_768), (10, 32_768), (10, 4_096)] {
        for summariser in [Summariser::Rules, Summariser::Liar] {
            let name = summariser.name();
            let kept = over_seeds(summariser, (compactions, context_tokens)).await;
            assert!(kept.pinned.all >= 5, "{kept:?}");
            assert_eq!(kept.pinned.shown, kept.pinned.all, "{name}, {compactions}");
            for kind in [Kind::Rule, Kind::Correction] {
                let count = kept.unpinned[&kind];
                assert!(count.all >= 4, "{kept:?}");
                assert_eq!(count.shown, count.all, "{name}, {compactions}, {kind:?}");
            }
            assert!(kept.outdated.0 >= 4);
            assert_eq!(kept.outdated.1, 0, "{name}, {compactions}: outdated");
            assert_eq!(kept.invented, 0, "{name}, {compactions}: invented");
            assert!(
                kept.tokens.1 * 4 < kept.tokens.0 * 3 || compactions > 1,
                "{kept:?}"
            );
        }
    }
}

#[tokio::test]
async fn what_users_said_with_a_number_or_path_survives_without_a_model() {
    let kept = over_seeds(Summariser::Rules, (10, 32_768)).await;
    for kind in [Kind::Decision, Kind::Path, Kind::Number] {
        let count = kept.unpinned[&kind];
        assert!(
            count.recallable * 100 >= count.all * 90,
            "{kind:?}: {count:?}"
        );
    }
}
