//! Reports, from observations.

use domain::Timestamp;
use domain::id::{QueryId, SessionId};
use domain::model::ModelRef;
use domain::quality::{Observation, TaskKind, Winner, Worth};
use quality::{Report, Wins};
use uuid::Uuid;

fn model(name: &str) -> ModelRef {
    ModelRef {
        provider: "p".to_owned(),
        model: name.to_owned(),
    }
}

fn observed(seq: u64, answer: u128, worth: Worth) -> Observation {
    Observation {
        time: Timestamp::UNIX_EPOCH,
        session_id: SessionId::from_uuid(Uuid::nil()),
        seq,
        query_id: QueryId::from_uuid(Uuid::from_u128(answer)),
        model: Some(model("writer")),
        is_second: false,
        kind: TaskKind::Look,
        worth,
    }
}

fn graded(score: u8) -> Worth {
    Worth::Judge {
        score,
        judge: model("judge"),
        rubric: "general".to_owned(),
    }
}

fn rated(score: i8) -> Worth {
    Worth::User { score }
}

#[test]
fn the_last_grade_and_rating_of_an_answer_count_once() {
    let all = [
        observed(4, 1, graded(2)),
        observed(9, 1, graded(5)),
        observed(9, 1, graded(5)),
        observed(5, 1, rated(-100)),
        observed(6, 1, rated(100)),
        observed(3, 2, rated(0)),
    ];
    for order in [all.to_vec(), all.iter().rev().cloned().collect()] {
        let report = Report::of(&order);
        let group = &report.by_model[0];
        assert_eq!((group.name.as_str(), group.answers), ("p/writer", 2));
        assert_eq!(group.grades.as_ref().unwrap().counts, [0, 0, 0, 0, 1]);
        let ratings = group.ratings;
        assert_eq!((ratings.good, ratings.neutral, ratings.bad), (1, 1, 0));
        assert_eq!(report.by_kind[0].name, "look");
    }
    assert!(Report::of(&[]).is_empty());
}

#[test]
fn a_second_answer_that_was_taken_over_counts_beside_the_first_of_the_same_model() {
    let second = |seq, worth| Observation {
        is_second: true,
        ..observed(seq, 1, worth)
    };
    let report = Report::of(&[
        observed(1, 1, rated(100)),
        observed(2, 1, graded(4)),
        second(3, rated(-100)),
        second(4, graded(1)),
    ]);
    let of_writer = &report.by_model[0];
    assert_eq!(of_writer.answers, 2);
    assert_eq!((of_writer.ratings.good, of_writer.ratings.bad), (1, 1));
    assert_eq!(report.agreement[0].answers, 2);
}

#[test]
fn a_judge_is_measured_by_the_answers_that_the_user_rated() {
    let mut all: Vec<Observation> = (1..=8).map(|n| observed(1, n, graded(5))).collect();
    let unmeasured = Report::of(&all);
    assert_eq!(unmeasured.unmeasured, [model("judge")]);
    assert!(unmeasured.agreement.is_empty());
    all.extend((1..=3).map(|n| observed(2, n, rated(100))));
    all.push(observed(2, 4, rated(-100)));
    let report = Report::of(&all);
    let agreement = &report.agreement[0];
    assert_eq!(agreement.answers, 4);
    assert!((agreement.alike.value - 0.75).abs() < 1e-9);
    assert!(agreement.alike.low < 0.4 && agreement.alike.high > 0.9);
    assert!(report.unmeasured.is_empty());
}

#[test]
fn the_last_comparison_and_choice_of_a_request_count_by_the_models_of_both() {
    let compared = |winner| Worth::Compared {
        winner,
        second: model("other"),
        judge: model("judge"),
    };
    let chosen = |winner| Worth::Chosen {
        winner,
        second: model("other"),
    };
    let all = [
        observed(4, 1, compared(Winner::A)),
        observed(9, 1, compared(Winner::B)),
        observed(9, 1, compared(Winner::B)),
        observed(3, 2, compared(Winner::B)),
        observed(3, 3, compared(Winner::A)),
        observed(3, 4, compared(Winner::Tie)),
        observed(5, 1, chosen(Winner::A)),
    ];
    for order in [all.to_vec(), all.iter().rev().cloned().collect()] {
        let report = Report::of(&order);
        assert!(report.by_model.is_empty(), "a comparison is no grade");
        let [pairing] = &report.pairings[..] else {
            panic!("{:?}", report.pairings)
        };
        assert_eq!(pairing.first, Some(model("writer")));
        let wins = |first, second, ties| Wins {
            first,
            second,
            ties,
        };
        assert_eq!(pairing.judged, wins(1, 2, 1));
        assert_eq!(pairing.chosen, wins(1, 0, 0));
        let share = pairing.judged.second_share().unwrap();
        assert!((share.value - 2.0 / 3.0).abs() < 1e-9 && share.low < 0.3);
    }
}

#[test]
fn a_judge_that_prefers_its_own_answers_stands_beside_the_user() {
    let compared = |winner, second: &str| Worth::Compared {
        winner,
        second: model(second),
        judge: model("writer"),
    };
    let chosen = |winner, second: &str| Worth::Chosen {
        winner,
        second: model(second),
    };
    let all = [
        observed(2, 1, compared(Winner::A, "other")),
        observed(3, 1, chosen(Winner::B, "other")),
        // The last word counts, and what was before it does not.
        observed(2, 2, compared(Winner::B, "other")),
        observed(5, 2, compared(Winner::A, "other")),
        observed(6, 2, chosen(Winner::A, "other")),
        observed(2, 3, compared(Winner::Tie, "other")),
        // Both are its own, and neither is.
        observed(2, 4, compared(Winner::A, "writer")),
        observed(
            2,
            5,
            Worth::Compared {
                winner: Winner::A,
                second: model("other"),
                judge: model("third"),
            },
        ),
    ];
    for order in [all.to_vec(), all.iter().rev().cloned().collect()] {
        let own = Report::of(&order).own;
        assert_eq!(own.len(), 1, "{own:?}");
        assert_eq!(own[0].judge, model("writer"));
        assert_eq!((own[0].judged.own, own[0].judged.other), (2, 0));
        assert_eq!((own[0].chosen.own, own[0].chosen.other), (1, 1));
    }
}

#[test]
fn an_answer_is_compared_with_those_of_several_models() {
    let compared = |seq, second: &str, winner| {
        let worth = Worth::Compared {
            winner,
            second: model(second),
            judge: model("judge"),
        };
        observed(seq, 1, worth)
    };
    let all = [
        compared(3, "one", Winner::B),
        compared(5, "other", Winner::A),
    ];
    let report = Report::of(&all);
    let wins: Vec<_> = report
        .pairings
        .iter()
        .map(|one| (one.second.to_string(), one.judged.first, one.judged.second))
        .collect();
    let expected = [("p/one".to_owned(), 0, 1), ("p/other".to_owned(), 1, 0)];
    assert_eq!(wins, expected);
}
