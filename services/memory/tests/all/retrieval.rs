//! What a question goes through, and what it may not see.

use crate::support::{Kept, ask, question, request, stored};
use api::CallContext;
use api::memory::{
    CorrelatedRequest, Curator as _, Detail, Lacking, Memory as _, Scope, Source, Stage, WriteEntry,
};
use domain::id::{AgentToken, QueryId, SessionId, TraceId};
use domain::rights::Namespace;

#[tokio::test]
async fn every_stage_is_told_in_order() {
    let kept = Kept::new().await;
    kept.write("Ada grows beans on the balcony.").await;
    kept.settled().await;
    let (stages, recalls) = kept.ask("What does Ada grow?").await;
    let names: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
    let expected = [
        "lexical",
        "vector",
        "fusion",
        "prior",
        "neighbours",
        "facts",
        "feedback",
        "descriptions",
        "text",
        "extraction",
    ];
    assert_eq!(names, expected);
    for stage in &stages {
        assert_eq!(stage.candidates[0].id, recalls[0].id, "{}", stage.name);
        assert!(stage.seen >= 1, "{}", stage.name);
    }
}

#[tokio::test]
async fn only_the_scope_is_seen() {
    let kept = Kept::new().await;
    let mine = stored(kept.service(), request("user", "The key is under the mat.")).await;
    let site = stored(
        kept.service(),
        request("project:/site", "The key is in the safe."),
    )
    .await;
    kept.settled().await;
    let only = |names: &[&str]| {
        let names = names.iter().map(|name| Namespace::new(*name).unwrap());
        Scope::Only(names.collect())
    };
    for (scope, expected) in [
        (Scope::All, vec![mine, site]),
        (only(&["user"]), vec![mine]),
        (only(&["project:/site"]), vec![site]),
        (only(&["project:/other"]), Vec::new()),
        (only(&[]), Vec::new()),
    ] {
        let mut asked = question("Where is the key?");
        asked.scope = scope.clone();
        let (stages, recalls) = ask(kept.service(), asked).await;
        let mut found: Vec<_> = recalls.iter().map(|recall| recall.id).collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{scope:?}");
        let mut told = stages.iter().flat_map(|stage| &stage.candidates);
        assert!(
            told.all(|candidate| expected.contains(&candidate.id)),
            "{scope:?}"
        );
    }
}

#[tokio::test]
async fn a_segment_is_cut_from_where_it_says() {
    let kept = Kept::new().await;
    let filler = "Nothing of interest was said about the weather that day. ".repeat(60);
    let text = format!("{filler}The vault opens with a brass key. {filler}");
    kept.write(&text).await;
    let (_, recalls) = kept.ask("Which key opens the vault?").await;
    let best = &recalls[0];
    assert!(best.segment.contains("brass key") && best.segment.len() <= 1_200);
    let at = |place: u64| usize::try_from(place).unwrap();
    assert_eq!(
        &text[at(best.byte_range.0)..at(best.byte_range.1)],
        best.segment
    );

    let mut asked = question("Which key opens the vault?");
    asked.detail = Detail::Description;
    let (_, recalls) = ask(kept.service(), asked).await;
    assert_eq!(
        (recalls[0].segment.as_str(), recalls[0].byte_range),
        ("", (0, 0))
    );
}

#[tokio::test]
async fn the_text_of_the_best_five_alone_is_read() {
    let kept = Kept::new().await;
    for number in 0..8 {
        kept.write(&format!("Plum number {number} is ripe.")).await;
    }
    let (_, recalls) = kept.ask("Is the plum ripe?").await;
    let read: Vec<bool> = recalls
        .iter()
        .map(|recall| !recall.segment.is_empty())
        .collect();
    assert_eq!(read, [true, true, true, true, true, false, false, false]);
}

#[tokio::test]
async fn what_answers_too_little_is_left_out() {
    let kept = Kept::new().await;
    kept.write("Ada grows beans on the balcony.").await;
    kept.write("Beans are cheap.").await;
    let mut asked = question("Does Ada grow beans on the balcony?");
    asked.at_least = 0.9;
    let (_, recalls) = ask(kept.service(), asked).await;
    assert_eq!(recalls.len(), 1);
    assert!(recalls[0].segment.contains("Ada"));
}

#[tokio::test]
async fn the_same_question_is_answered_from_the_cache_until_something_is_written_there() {
    let kept = Kept::new().await;
    kept.write("Ada grows beans.").await;
    kept.settled().await;
    let (_, first) = kept.ask("What does Ada grow?").await;
    let (stages, second) = kept.ask("what does Ada grow").await;
    assert_eq!(
        stages
            .iter()
            .map(|stage| stage.name.as_str())
            .collect::<Vec<_>>(),
        ["cache"]
    );
    assert_eq!(first, second);
    let stats = kept.service().stats().await.unwrap();
    assert_eq!((stats.cache_hits, stats.cache_lookups), (1, 2));

    let peas = kept.write("Ada grows peas.").await;
    let (stages, third) = kept.ask("what does Ada grow").await;
    assert_ne!(stages[0].name, "cache");
    assert!(third.iter().any(|recall| recall.id == peas));
}

#[tokio::test]
async fn a_sessions_own_exchanges_leave_its_answers_in_the_cache() {
    let kept = Kept::new().await;
    kept.write("Ada grows beans.").await;
    kept.settled().await;
    let session = |number| SessionId::from_uuid(uuid::Uuid::from_u128(number));
    let first_stage = async || {
        let mut asked = question("What does Ada grow?");
        asked.at_least = 0.3;
        asked.context = Some(CallContext {
            session_id: session(1),
            agent_token: AgentToken::from_text(String::new()),
            trace_id: TraceId::from_uuid(uuid::Uuid::now_v7()),
        });
        let (stages, recalls) = ask(kept.service(), asked).await;
        assert_eq!(recalls[0].name, "note");
        stages[0].name.clone()
    };
    let exchanged = async |number| {
        let mut request = request("user", "");
        request.entry = WriteEntry::Engram {
            question: format!("How tall is tower {number}?"),
            answer: "Ada grows tall.".to_owned(),
            intent: String::new(),
            entities: Vec::new(),
            session_id: session(number),
            query_id: QueryId::from_uuid(uuid::Uuid::now_v7()),
            respondent: "model".to_owned(),
            tools_used: Vec::new(),
        };
        stored(kept.service(), request).await;
        kept.settled().await;
    };
    assert_ne!(first_stage().await, "cache");
    for _ in 0..3 {
        exchanged(1).await;
        assert_eq!(first_stage().await, "cache");
    }
    // Another session's may be an answer.
    exchanged(2).await;
    assert_ne!(first_stage().await, "cache");
    assert_eq!(first_stage().await, "cache");
}

#[tokio::test]
async fn an_answer_by_words_alone_is_not_given_again_and_says_each_time_that_it_is_one() {
    let kept = Kept::with(std::sync::Arc::default()).await;
    kept.write("Ada sells her car.").await;
    for _ in 0..2 {
        let (stages, recalls) = kept.ask("Who has an automobile?").await;
        let lacking = stages.iter().find_map(Stage::lacking);
        assert!(
            matches!(lacking, Some(Lacking::Meaning(why)) if why.starts_with("no embedding model")),
            "{stages:#?}"
        );
        assert_eq!(recalls, []);
    }
    *kept.models().name.lock().unwrap() = Some("words");
    kept.service().reindex().await.unwrap();
    kept.settled().await;
    let (stages, recalls) = kept.ask("Who has an automobile?").await;
    assert_eq!(recalls.len(), 1, "{stages:#?}");
    assert_eq!(stages.iter().find_map(Stage::lacking), None);
}

#[tokio::test]
async fn what_is_forgotten_is_not_in_the_cache() {
    let kept = Kept::new().await;
    let id = kept.write("Ada grows beans.").await;
    kept.settled().await;
    kept.ask("What does Ada grow?").await;
    kept.service().forget(id).await.unwrap();
    assert!(kept.ask("What does Ada grow?").await.1.is_empty());
}

#[tokio::test]
async fn what_belongs_together_is_found_both_ways() {
    let kept = Kept::new().await;
    let first = kept.write("The trip begins in Oslo.").await;
    let mut second = request("user", "Then it goes on by ship.");
    if let WriteEntry::Memory {
        correlating_ids, ..
    } = &mut second.entry
    {
        correlating_ids.push(first);
    }
    let second = stored(kept.service(), second).await;
    stored(kept.service(), request("project:/p", "Oslo is far away.")).await;
    let user = Scope::Only(vec![Namespace::user()]);
    for (id, scope, expected) in [
        (first, Scope::All, vec![second]),
        (second, user, vec![first]),
        (first, Scope::Only(Vec::new()), Vec::new()),
    ] {
        let request = CorrelatedRequest {
            context: None,
            ids: vec![id],
            scope,
            text: "trip".to_owned(),
            detail: Detail::Segment,
        };
        let found = kept.service().get_correlated(request).await.unwrap();
        let found: Vec<_> = found.into_iter().map(|recall| recall.id).collect();
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn a_neighbour_of_the_best_is_found_without_a_word_of_the_question() {
    let kept = Kept::new().await;
    let first = kept.write("The trip begins in Oslo.").await;
    let mut next = request("user", "Then it goes on by ship.");
    if let WriteEntry::Memory {
        correlating_ids, ..
    } = &mut next.entry
    {
        correlating_ids.push(first);
    }
    let next = stored(kept.service(), next).await;
    assert_eq!(kept.ids("Oslo").await, [first, next]);
}

#[tokio::test]
async fn what_came_from_outside_stands_behind_what_says_the_same() {
    let kept = Kept::new().await;
    let mut outside = request("user", "The museum opens at ten o'clock daily.");
    outside.source = Source::External;
    let outside = stored(kept.service(), outside).await;
    let own = stored(
        kept.service(),
        request("user", "The museum opens at ten o'clock, says Bo."),
    )
    .await;
    // An entry that has no vector yet stands behind one that has.
    kept.settled().await;
    let (stages, recalls) = kept.ask("When does the museum open?").await;
    let found: Vec<_> = recalls.iter().map(|recall| recall.id).collect();
    assert_eq!(found, [own, outside], "{stages:#?}");
}

#[tokio::test]
async fn earlier_askings_do_not_crowd_out_what_answers() {
    let kept = Kept::new().await;
    let engram = |question: &str| {
        let mut request = request("user", "");
        request.entry = WriteEntry::Engram {
            question: question.to_owned(),
            answer: "Noted.".to_owned(),
            intent: String::new(),
            entities: Vec::new(),
            session_id: SessionId::from_uuid(uuid::Uuid::now_v7()),
            query_id: QueryId::from_uuid(uuid::Uuid::now_v7()),
            respondent: "model".to_owned(),
            tools_used: Vec::new(),
        };
        request
    };
    let told = stored(kept.service(), engram("I take my coffee black.")).await;
    let curated = kept.write("Coffee: black, quokka style.").await;
    for _ in 0..4 {
        // The gate may take one for a duplicate already.
        let asking = engram("How do I like my coffee?");
        kept.service().write(asking).await.unwrap();
    }
    let (_, recalls) = kept.ask("How do I like my coffee?").await;
    let found: Vec<_> = recalls.iter().map(|recall| recall.id).collect();
    assert_eq!(found.len(), 3, "{recalls:#?}");
    assert!(found[..2].contains(&told) && found[..2].contains(&curated));
}

#[tokio::test]
async fn a_session_is_not_told_unasked_what_was_said_in_it() {
    let kept = Kept::new().await;
    let sessions = [(); 2].map(|()| SessionId::from_uuid(uuid::Uuid::now_v7()));
    let mut told = Vec::new();
    for (session_id, text) in sessions.into_iter().zip(["black", "hot"]) {
        let mut request = request("user", "");
        request.entry = WriteEntry::Engram {
            question: format!("I take my coffee {text}."),
            answer: "Noted.".to_owned(),
            intent: String::new(),
            entities: Vec::new(),
            session_id,
            query_id: QueryId::from_uuid(uuid::Uuid::now_v7()),
            respondent: "model".to_owned(),
            tools_used: Vec::new(),
        };
        told.push(stored(kept.service(), request).await);
    }
    let ask = async |session_id, at_least, limit| {
        let mut asked = question("How do I take my coffee?");
        asked.context = Some(CallContext {
            session_id,
            agent_token: AgentToken::from_text(String::new()),
            trace_id: TraceId::from_uuid(uuid::Uuid::now_v7()),
        });
        (asked.at_least, asked.limit) = (at_least, limit);
        let (_, recalls) = ask(kept.service(), asked).await;
        let mut found: Vec<_> = recalls.iter().map(|recall| recall.id).collect();
        found.sort_unstable();
        found
    };
    // One after the other: an answer that is kept for one session is none for the other.
    assert_eq!(ask(sessions[0], 0.1, 1).await, [told[1]]);
    assert_eq!(ask(sessions[1], 0.1, 1).await, [told[0]]);
    // A search of the agent's own finds everything.
    assert_eq!(ask(sessions[0], 0.0, 5).await, told);
}

#[tokio::test]
async fn what_answers_nothing_stands_behind_what_does() {
    let kept = Kept::with(std::sync::Arc::default()).await;
    let hub = kept.write("Oslo Oslo Oslo.").await;
    for text in ["Then by ship.", "Then by train."] {
        let mut next = request("user", text);
        if let WriteEntry::Memory {
            correlating_ids, ..
        } = &mut next.entry
        {
            correlating_ids.push(hub);
        }
        stored(kept.service(), next).await;
    }
    let other = "Among the many towns and rivers that a long letter names is also Oslo.";
    kept.write(other).await;
    let (_, recalls) = kept.ask("Oslo").await;
    let shown: Vec<f32> = recalls.iter().map(|recall| recall.relevance).collect();
    assert_eq!(shown, [1.0, 1.0, 0.0, 0.0]);
}
