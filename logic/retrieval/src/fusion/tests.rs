//! Each stage by itself, and that no stage drops an entry.

use super::*;
use proptest::prelude::*;

fn leg(scores: &[(u64, f32)]) -> Leg {
    Leg {
        hits: scores
            .iter()
            .map(|&(number, score)| Hit { number, score })
            .collect(),
        cut: false,
    }
}

fn legs(lexical: &[(u64, f32)], vector: &[(u64, f32)]) -> Legs {
    Legs {
        lexical: leg(lexical),
        vector: leg(vector),
        ..Legs::default()
    }
}

fn order(fusion: &Fusion) -> Vec<u64> {
    fusion.ranked().iter().map(|hit| hit.number).collect()
}

fn score(fusion: &Fusion, number: u64) -> f32 {
    let hits = fusion.ranked();
    hits.iter().find(|hit| hit.number == number).unwrap().score
}

const PLAIN: Traits = Traits {
    speaks: false,
    asking: 0.0,
    standing: 0.0,
    age_days: 0.0,
    external: false,
    is_kept: false,
};

#[test]
fn what_both_legs_find_comes_before_what_one_finds() {
    let legs = legs(&[(1, 9.0), (2, 8.0)], &[(2, 0.7), (3, 0.8)]);
    assert_eq!(order(&Fusion::of(&legs, Weights::default())), [2, 1, 3]);
}

#[test]
fn a_leg_alone_counts_whole() {
    let words = Fusion::of(&legs(&[(1, 4.0), (2, 2.0)], &[]), Weights::default());
    assert_eq!(score(&words, 1), 1.0);
    assert_eq!(score(&words, 2), 0.5);
    let vectors = Fusion::of(&legs(&[], &[(7, 0.4)]), Weights::default());
    assert_eq!(score(&vectors, 7), 1.0);
    assert!(order(&Fusion::of(&Legs::default(), Weights::default())).is_empty());
}

#[test]
fn the_lowest_of_a_leg_that_was_cut_counts_as_nothing() {
    let mut found = legs(&[(1, 4.0), (2, 3.0), (3, 2.0)], &[]);
    found.lexical.cut = true;
    let fusion = Fusion::of(&found, Weights::default());
    assert_eq!(score(&fusion, 2), 0.5);
    assert_eq!(score(&fusion, 3), 0.0, "and it is still there");
}

#[test]
fn a_leg_that_was_cut_and_gives_all_the_same_says_nothing() {
    let mut found = legs(&[(1, 4.0), (2, 4.0)], &[(2, 0.5)]);
    found.lexical.cut = true;
    let fusion = Fusion::of(&found, Weights::default());
    assert_eq!(score(&fusion, 1), 0.0);
    assert!(score(&fusion, 2) > 0.0);
}

#[test]
fn scores_spread_along_what_belongs_together_and_fade() {
    let weights = Weights {
        neighbour: 0.5,
        neighbour_steps: 2,
        ..Weights::default()
    };
    let mut fusion = Fusion::of(&legs(&[(10, 1.0), (30, 0.2)], &[]), weights);
    fusion.spread(|number| [number - 1, number + 1]);
    assert_eq!(score(&fusion, 10), 1.0);
    assert_eq!(score(&fusion, 11), 0.5);
    assert_eq!(score(&fusion, 12), 0.25);
    assert_eq!(score(&fusion, 9), 0.5);
    assert_eq!(fusion.numbers().filter(|&number| number == 13).count(), 0);
    assert!((score(&fusion, 31) - 0.1).abs() < 1e-6);
}

#[test]
fn of_several_neighbours_the_better_one_counts() {
    let weights = Weights {
        neighbour: 0.5,
        neighbour_steps: 1,
        ..Weights::default()
    };
    let mut fusion = Fusion::of(&legs(&[(1, 1.0), (3, 0.6)], &[]), weights);
    fusion.spread(|number| [number - 1, number + 1]);
    assert_eq!(score(&fusion, 2), 0.5);
}

#[test]
fn spreading_is_bounded_where_everything_belongs_together() {
    let found: Vec<(u64, f32)> = (0..1_000).map(|number| (number, 1.0)).collect();
    let mut fusion = Fusion::of(&legs(&found, &[]), Weights::default());
    let mut asked = 0;
    fusion.spread(|number| {
        asked += 1;
        (0..10_000).map(move |other| number + other)
    });
    assert!(asked <= SPREAD_FROM * MAX_REACHED, "asked {asked} times");
}

#[test]
fn descriptions_bring_in_entries_and_facts_raise_them() {
    let mut found = legs(&[(1, 1.0)], &[]);
    found.description = leg(&[(3, 0.5)]);
    let weights = Weights {
        facts: 0.5,
        ..Weights::default()
    };
    let mut fusion = Fusion::of(&found, weights);
    fusion.describe(&found);
    assert_eq!(score(&fusion, 3), weights.description);
    fusion.facts(|number| if number == 3 { 0.5 } else { f32::NAN.max(0.0) });
    assert_eq!(score(&fusion, 3), weights.description + 0.25);
    assert_eq!(score(&fusion, 1), 1.0);
}

#[test]
fn what_is_known_besides_the_text_moves_a_score_within_bounds() {
    let cases = [
        (
            Traits {
                speaks: true,
                ..PLAIN
            },
            0.15,
        ),
        (
            Traits {
                asking: 1.0,
                ..PLAIN
            },
            -0.1,
        ),
        (
            Traits {
                standing: 9.0,
                ..PLAIN
            },
            0.03,
        ),
        (
            Traits {
                standing: -9.0,
                ..PLAIN
            },
            -0.03,
        ),
        (
            Traits {
                external: true,
                ..PLAIN
            },
            -0.2,
        ),
    ];
    for (traits, moved) in cases {
        let weights = Weights {
            speaker: 0.15,
            asking: 0.1,
            external: 0.8,
            ..Weights::default()
        };
        let mut fusion = Fusion::of(&legs(&[(1, 2.0)], &[]), weights);
        fusion.weigh(false, |_| traits);
        assert!((score(&fusion, 1) - 1.0 - moved).abs() < 1e-6, "{traits:?}");
    }
}

#[test]
fn nothing_that_was_rated_passes_what_was_kept_on_purpose() {
    // 1 and 4 were kept; 2, 3 and 5 were rated best, and 6 was not.
    let found = legs(
        &[
            (6, 2.02),
            (1, 2.0),
            (2, 1.99),
            (3, 1.98),
            (4, 1.97),
            (5, 1.96),
            (7, 0.0),
        ],
        &[],
    );
    let mut fusion = Fusion::of(&found, Weights::default());
    fusion.weigh(false, |number| Traits {
        standing: if [2, 3, 5].contains(&number) {
            1.0
        } else {
            0.0
        },
        is_kept: [1, 4].contains(&number),
        ..PLAIN
    });
    let order = order(&fusion);
    let place = |number| order.iter().position(|one| *one == number).unwrap();
    assert!(place(1) < place(2) && place(2) < place(3), "{order:?}");
    assert!(place(1) < place(4) && place(4) < place(5), "{order:?}");
    // What was rated passes what was neither.
    assert!(place(2) < place(6), "{order:?}");
}

#[test]
fn age_counts_only_in_questions_about_now() {
    let found = legs(&[(1, 2.0), (2, 1.9)], &[]);
    let age = |number| Traits {
        age_days: if number == 1 { 400.0 } else { 0.0 },
        ..PLAIN
    };
    let mut then = Fusion::of(&found, Weights::default());
    then.weigh(false, age);
    assert_eq!(order(&then), [1, 2]);
    let mut now = Fusion::of(&found, Weights::default());
    now.weigh(true, age);
    assert_eq!(order(&now), [2, 1]);
}

#[test]
fn standing_is_the_mean_of_what_was_said() {
    assert_eq!(standing(None, None, None), 0.0);
    assert_eq!(standing(Some(5), None, None), 1.0);
    assert_eq!(standing(Some(1), Some(1), None), 0.0);
    assert_eq!(standing(Some(5), Some(1), Some(-100)), 1.0 / 3.0);
}

fn some_leg() -> impl Strategy<Value = Leg> {
    let hit = (
        0_u64..40,
        prop_oneof![-1.0_f32..30.0, Just(f32::NAN), Just(0.0)],
    )
        .prop_map(|(number, score)| Hit { number, score });
    (prop::collection::vec(hit, 0..20), any::<bool>()).prop_map(|(hits, cut)| Leg { hits, cut })
}

proptest! {
    #[test]
    fn no_stage_drops_what_a_leg_found(
        lexical in some_leg(), vector in some_leg(), description in some_leg(), covers in 0.0_f32..2.0,
        now in any::<bool>(), external in any::<bool>(),
    ) {
        let legs = Legs {
            lexical, vector, description,
        };
        let mut fusion = Fusion::of(&legs, Weights::default());
        fusion.describe(&legs);
        fusion.spread(|number| [number + 1]);
        fusion.facts(|_| covers);
        fusion.weigh(now, |_| Traits { external, ..PLAIN });
        let ranked = fusion.ranked();
        for leg in [&legs.lexical, &legs.vector, &legs.description] {
            for hit in &leg.hits {
                prop_assert!(ranked.iter().any(|one| one.number == hit.number));
            }
        }
        prop_assert!(ranked.iter().all(|hit| hit.score.is_finite()));
        prop_assert!(ranked.is_sorted_by(|one, other| one.score >= other.score));
    }
}
