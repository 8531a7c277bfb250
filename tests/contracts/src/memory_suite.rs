//! What every memory promises, whatever stands between it and its caller.

use super::memory::FAKE_ORDER;
use super::{fresh_uuid, within};
use api::memory::{
    Annotation, CorrelatedRequest, Curator, Detail, Error, HeldBy, Kind, ListRequest, Memory,
    QueryEvent, QueryRequest, Recall, Refusal, Scope, Source, Stored, WriteAnswer, WriteEntry,
    WriteRequest,
};
use domain::fault::Coded as _;
use domain::id::{MemoryId, QueryId, SessionId};
use domain::label::{Integrity, Label};
use domain::limits::{MEMORY_QUERY_BYTES, MEMORY_TEXT_BYTES};
use domain::quality::Winner;
use domain::rights::Namespace;
use domain::tool::ToolName;
use futures::StreamExt as _;

fn here() -> Namespace {
    Namespace::new("suite").unwrap()
}

fn elsewhere() -> Namespace {
    Namespace::new("suite:elsewhere").unwrap()
}

fn memory(name: &str, corpus: &str) -> WriteRequest {
    WriteRequest {
        context: None,
        namespace: here(),
        entry: WriteEntry::Memory {
            name: name.to_owned(),
            description: String::new(),
            tags: vec!["suite".to_owned()],
            correlating_ids: Vec::new(),
            corpus: corpus.to_owned(),
        },
        source: Source::User,
        label: Label::trusted("user"),
        valid_from: None,
        supersedes: None,
    }
}

fn belonging(name: &str, corpus: &str, with: Vec<MemoryId>) -> WriteRequest {
    let mut request = memory(name, corpus);
    if let WriteEntry::Memory {
        correlating_ids, ..
    } = &mut request.entry
    {
        *correlating_ids = with;
    }
    request
}

fn engram(question: &str, answer: &str, query_id: QueryId, respondent: &str) -> WriteRequest {
    let entry = WriteEntry::Engram {
        question: question.to_owned(),
        answer: answer.to_owned(),
        intent: String::new(),
        entities: Vec::new(),
        session_id: SessionId::from_uuid(fresh_uuid()),
        query_id,
        respondent: respondent.to_owned(),
        tools_used: vec![ToolName::nearest("read_file")],
    };
    WriteRequest {
        entry,
        ..memory("", "")
    }
}

fn question(text: &str) -> QueryRequest {
    QueryRequest {
        context: None,
        text: text.to_owned(),
        scope: Scope::Only(vec![here()]),
        limit: 5,
        detail: Detail::Segment,
        at_least: 0.0,
    }
}

async fn keep(memory: &dyn Memory, request: WriteRequest) -> MemoryId {
    match within("a write", memory.write(request)).await.unwrap() {
        WriteAnswer::Stored { id } => id,
        other => panic!("not kept: {other:?}"),
    }
}

async fn refused(memory: &dyn Memory, request: WriteRequest) -> Refusal {
    match within("a write", memory.write(request)).await.unwrap() {
        WriteAnswer::Rejected { refusal, detail } => {
            assert!(!detail.is_empty() && !detail.contains("AKIA"), "{detail}");
            refusal
        }
        other => panic!("not refused: {other:?}"),
    }
}

async fn ask(memory: &dyn Memory, request: QueryRequest) -> Vec<Recall> {
    let events = within("a query", memory.query(request)).await.unwrap();
    let events: Vec<QueryEvent> = within("its stages", events.collect::<Vec<_>>())
        .await
        .into_iter()
        .map(|event| event.unwrap())
        .collect();
    let (last, stages) = events.split_last().expect("a query tells something");
    assert!(!stages.is_empty(), "no stage was told");
    for stage in stages {
        let QueryEvent::Stage(stage) = stage else {
            panic!("results before the end");
        };
        assert!(!stage.name.is_empty());
        assert!(stage.candidates.len() <= api::memory::STAGE_CANDIDATES);
    }
    match last {
        QueryEvent::Results(recalls) => recalls.clone(),
        QueryEvent::Stage(stage) => panic!("it ends with a stage: {stage:?}"),
    }
}

async fn finds(memory: &dyn Memory, text: &str, id: MemoryId) -> bool {
    let found = ask(memory, question(text)).await;
    found.iter().any(|recall| recall.id == id)
}

/// Every promise. Memory holds nothing in the namespaces of the suite; what is kept there is
/// forgotten at the end.
///
/// # Panics
/// At the first promise that is broken.
pub async fn conformance(memory: &dyn Memory, curator: &dyn Curator) {
    finding(memory).await;
    refusing(memory).await;
    correcting(memory, curator).await;
    distrusting(memory, curator).await;
    remarking(memory, curator).await;
    correlating(memory).await;
    listing(curator).await;
    restoring(memory, curator).await;
    counting(curator).await;
    forgetting(memory, curator).await;
}

async fn finding(memory: &dyn Memory) {
    let text = "The lighthouse of Alexandria was built on the island of Pharos.";
    let id = keep(memory, self::memory("lighthouse", text)).await;
    let other = keep(
        memory,
        self::memory("coffee", "Coffee is roasted before grinding."),
    )
    .await;
    let found = ask(
        memory,
        question("Where did the lighthouse of Alexandria stand?"),
    )
    .await;
    let best = found.first().expect("something is found");
    assert_eq!(best.id, id);
    assert_eq!(best.kind, Kind::Memory);
    assert_eq!(
        (&best.namespace, best.name.as_str()),
        (&here(), "lighthouse")
    );
    let (start, end) = best.byte_range;
    let range = usize::try_from(start).unwrap()..usize::try_from(end).unwrap();
    assert_eq!(text.get(range), Some(best.segment.as_str()));
    assert!(best.segment.contains("Pharos"), "{}", best.segment);
    assert_eq!(best.source, Source::User);
    assert_eq!(best.label, Label::trusted("user"));
    assert!((0.0..=1.0).contains(&best.relevance));
    assert!(finds(memory, "coffee roasted", other).await);

    let description = QueryRequest {
        detail: Detail::Description,
        ..question("lighthouse Alexandria")
    };
    let found = ask(memory, description).await;
    assert!(found.iter().all(|recall| recall.segment.is_empty()));
    let one = QueryRequest {
        limit: 1,
        ..question("lighthouse coffee")
    };
    assert_eq!(ask(memory, one).await.len(), 1);
    for scope in [Scope::Only(Vec::new()), Scope::Only(vec![elsewhere()])] {
        let scoped = QueryRequest {
            scope,
            ..question("lighthouse Alexandria")
        };
        assert_eq!(ask(memory, scoped).await, []);
    }
    let strict = QueryRequest {
        at_least: 1.0,
        ..question("Which submarines cross volcanoes at midnight near the lighthouse?")
    };
    assert_eq!(ask(memory, strict).await, []);

    let long = "w".repeat(MEMORY_QUERY_BYTES + 1);
    for bad in ["", " \n", &long] {
        let error = memory.query(question(bad)).await.err().expect("refused");
        assert_eq!(error.code(), "memory.invalid");
    }
    let none = QueryRequest {
        limit: 0,
        ..question("lighthouse")
    };
    let error = memory.query(none).await.err().expect("refused");
    assert_eq!(error.code(), "memory.invalid");
}

async fn refusing(memory: &dyn Memory) {
    let write = self::memory;
    assert_eq!(refused(memory, write("nothing", " ")).await, Refusal::Empty);
    assert_eq!(refused(memory, write(" ", "text")).await, Refusal::Empty);
    let long = "w".repeat(MEMORY_TEXT_BYTES + 1);
    assert_eq!(
        refused(memory, write("long", &long)).await,
        Refusal::TooLarge
    );
    let secret = write("key", "my key is AKIAABCDEFGHIJKLMNOP");
    assert_eq!(refused(memory, secret).await, Refusal::Secret);
    let order = WriteRequest {
        source: Source::Agent,
        ..write("order", FAKE_ORDER)
    };
    assert_eq!(refused(memory, order).await, Refusal::Instruction);

    let text = "The ferry to Capri leaves at seven from the old harbour.";
    let id = keep(memory, write("ferry", text)).await;
    let again = memory.write(write("Ferry", text)).await.unwrap();
    assert_eq!(again, WriteAnswer::Duplicate { id });
    let there = WriteRequest {
        namespace: elsewhere(),
        ..write("ferry", text)
    };
    assert_ne!(keep(memory, there).await, id);
}

async fn correcting(memory: &dyn Memory, curator: &dyn Curator) {
    let write = self::memory;
    let old = keep(
        memory,
        write("home", "Martha lives in Lisbon, near the river."),
    )
    .await;
    let correction = |supersedes| WriteRequest {
        supersedes: Some(supersedes),
        ..write("home", "Martha lives in Trieste, near the sea.")
    };
    let unknown = MemoryId::from_uuid(fresh_uuid());
    assert_eq!(
        refused(memory, correction(unknown)).await,
        Refusal::NothingToCorrect
    );
    let there = WriteRequest {
        namespace: elsewhere(),
        ..correction(old)
    };
    assert_eq!(refused(memory, there).await, Refusal::NothingToCorrect);
    let doubtful = WriteRequest {
        source: Source::External,
        ..correction(old)
    };
    assert_eq!(refused(memory, doubtful).await, Refusal::LessTrusted);
    // An agent's conclusion does not correct what the user said.
    let concluded = WriteRequest {
        source: Source::Agent,
        ..correction(old)
    };
    assert_eq!(refused(memory, concluded).await, Refusal::LessTrusted);
    assert!(finds(memory, "Where does Martha live?", old).await);

    let new = keep(memory, correction(old)).await;
    assert!(!finds(memory, "Where does Martha live?", old).await);
    assert!(!finds(memory, "Lisbon river", old).await);
    assert!(finds(memory, "Where does Martha live?", new).await);
    let kept = curator.show(old).await.unwrap();
    assert_eq!(kept.superseded_by, Some(new));
    let now = curator.show(new).await.unwrap();
    assert_eq!(kept.valid_until, Some(now.created_at));
    assert_eq!((now.valid_until, now.superseded_by), (None, None));
    // It changed back: no duplicate of what no longer holds.
    let back = WriteRequest {
        supersedes: Some(new),
        ..write("home", "Martha lives in Lisbon, near the river.")
    };
    keep(memory, back).await;
}

async fn distrusting(memory: &dyn Memory, curator: &dyn Curator) {
    let text = format!("The museum of tin toys closes at four. {FAKE_ORDER}");
    let outside = WriteRequest {
        source: Source::External,
        label: Label::trusted("web:example.org"),
        ..self::memory("museum", &text)
    };
    let id = keep(memory, outside).await;
    let kept = curator.show(id).await.unwrap();
    assert_eq!(kept.label.integrity, Integrity::Untrusted);
    assert!(kept.label.persistent);
    assert_eq!(kept.source, Source::External);
    let found = ask(memory, question("When does the museum of tin toys close?")).await;
    let recall = found.iter().find(|recall| recall.id == id).expect("found");
    assert_eq!(recall.label, kept.label);
    assert!(recall.segment.contains("four"), "{}", recall.segment);
    assert!(!recall.segment.contains(FAKE_ORDER), "{}", recall.segment);
}

async fn remarking(memory: &dyn Memory, curator: &dyn Curator) {
    let query = QueryId::from_uuid(fresh_uuid());
    let asked = engram("How high is Etna?", "About 3,400 metres.", query, "one");
    let id = keep(memory, asked.clone()).await;
    let again = memory.write(asked).await.unwrap();
    assert_eq!(again, WriteAnswer::Duplicate { id });
    let second = engram("How high is Etna?", "3,403 metres.", query, "two");
    let two = keep(memory, second).await;
    assert!(finds(memory, "Etna high metres", id).await);

    let of = |respondent| memory.engram_of(query, respondent);
    assert_eq!(of("one").await.unwrap(), Some(id));
    assert_eq!(of("two").await.unwrap(), Some(two));
    assert_eq!(of("three").await.unwrap(), None);
    let unasked = QueryId::from_uuid(fresh_uuid());
    assert_eq!(memory.engram_of(unasked, "one").await.unwrap(), None);

    let curated = keep(memory, self::memory("basil", "Basil needs sun and water.")).await;
    let remark = |id, annotation| memory.annotate(None, id, annotation);
    for bad in [
        (id, Annotation::Score(0)),
        (id, Annotation::Score(6)),
        (id, Annotation::Feedback(101)),
        (id, Annotation::Feedback(-101)),
        (curated, Annotation::Score(5)),
    ] {
        let error = remark(bad.0, bad.1).await.unwrap_err();
        assert_eq!(error.code(), "memory.invalid");
    }
    let unknown = MemoryId::from_uuid(fresh_uuid());
    let error = remark(unknown, Annotation::Score(1)).await.unwrap_err();
    assert!(matches!(error, Error::NotFound { id } if id == unknown));
    remark(id, Annotation::Score(5)).await.unwrap();
    remark(id, Annotation::Winner(Winner::Tie)).await.unwrap();
    remark(id, Annotation::Feedback(-100)).await.unwrap();
    let understood = Annotation::Understood {
        intent: "learn the height of a volcano".to_owned(),
        entities: vec!["Etna".to_owned()],
    };
    remark(id, understood).await.unwrap();
    let kept = curator.show(id).await.unwrap();
    assert_eq!(kept.critic_score, Some(5));
    assert_eq!(kept.pairwise_winner, Some(Winner::Tie));
    assert_eq!(kept.feedback, Some(-100));
    let WriteEntry::Engram {
        intent, entities, ..
    } = kept.entry
    else {
        panic!("another kind");
    };
    assert_eq!(intent, "learn the height of a volcano");
    assert_eq!(entities, ["Etna"]);
    assert!(finds(memory, "height of a volcano", id).await);
    assert_eq!(curator.show(two).await.unwrap().critic_score, None);
}

async fn correlating(memory: &dyn Memory) {
    let first = keep(
        memory,
        self::memory("spokes", "The wheel has thirty spokes."),
    )
    .await;
    let there = WriteRequest {
        namespace: elsewhere(),
        ..belonging("rim", "The rim is made of ash wood.", vec![first])
    };
    keep(memory, there).await;
    let second = belonging("hub", "The hub is made of elm wood.", vec![first]);
    let second = keep(memory, second).await;
    let asking = |ids| CorrelatedRequest {
        context: None,
        ids,
        scope: Scope::Only(vec![here()]),
        text: "wood".to_owned(),
        detail: Detail::Segment,
    };
    let ids = |recalls: Vec<Recall>| recalls.into_iter().map(|r| r.id).collect::<Vec<_>>();
    let found = memory.get_correlated(asking(vec![first])).await.unwrap();
    assert!(found[0].segment.contains("elm"), "{found:?}");
    assert_eq!(ids(found), [second]);
    let found = memory.get_correlated(asking(vec![second])).await.unwrap();
    assert_eq!(ids(found), [first]);
    let both = asking(vec![first, second]);
    assert_eq!(memory.get_correlated(both).await.unwrap(), []);
    let unknown = asking(vec![MemoryId::from_uuid(fresh_uuid())]);
    assert_eq!(memory.get_correlated(unknown).await.unwrap(), []);
}

async fn all(curator: &dyn Curator, kind: Option<Kind>) -> Vec<Stored> {
    let scope = Scope::Only(vec![here(), elsewhere()]);
    let request = ListRequest { scope, kind };
    let entries = within("a list", curator.list(request)).await.unwrap();
    within("its entries", entries.map(|entry| entry.unwrap()).collect()).await
}

async fn listing(curator: &dyn Curator) {
    let entries = all(curator, None).await;
    assert!(entries.is_sorted_by_key(|stored| stored.created_at));
    assert!(entries.iter().any(|stored| stored.valid_until.is_some()));
    let (memories, engrams) = (
        all(curator, Some(Kind::Memory)).await,
        all(curator, Some(Kind::Engram)).await,
    );
    assert_eq!(memories.len() + engrams.len(), entries.len());
    assert!(
        engrams
            .iter()
            .all(|stored| stored.entry.kind() == Kind::Engram)
    );
    assert!(!memories.is_empty() && !engrams.is_empty());
    let nowhere = ListRequest {
        scope: Scope::Only(Vec::new()),
        kind: None,
    };
    let none = curator.list(nowhere).await.unwrap();
    assert_eq!(none.count().await, 0);
}

async fn restoring(memory: &dyn Memory, curator: &dyn Curator) {
    let exported = all(curator, None).await;
    let known = exported.first().expect("the suite kept some").clone();
    let id = known.id;
    let answer = curator.restore(known.clone()).await.unwrap();
    assert_eq!(answer, WriteAnswer::Duplicate { id });
    curator.forget(id).await.unwrap();
    assert!(matches!(
        curator.show(id).await,
        Err(Error::NotFound { .. })
    ));
    let answer = curator.restore(known.clone()).await.unwrap();
    assert_eq!(answer, WriteAnswer::Stored { id });
    let mut back = curator.show(id).await.unwrap();
    // Recalls are counted a little later.
    back.access_count = known.access_count;
    back.last_accessed = known.last_accessed;
    assert_eq!(back, known);
    assert!(finds(memory, "lighthouse Alexandria", id).await);
}

async fn counting(curator: &dyn Curator) {
    let entries = all(curator, None).await;
    let stats = within("counting", curator.stats()).await.unwrap();
    let of = |namespace: &Namespace| {
        let counted = stats.namespaces.iter().find(|(name, _)| name == namespace);
        counted.map_or(0, |(_, count)| *count)
    };
    let counted = of(&here()) + of(&elsewhere());
    assert_eq!(counted, entries.len() as u64);
    assert!(stats.engrams >= 2 && stats.memories > 2 && stats.superseded >= 2);
    let stats = within("making every index anew", curator.reindex()).await;
    for index in stats.unwrap().indexes {
        assert!(index.entries <= index.of, "{index:?}");
    }
}

async fn forgetting(memory: &dyn Memory, curator: &dyn Curator) {
    let unknown = MemoryId::from_uuid(fresh_uuid());
    let error = curator.forget(unknown).await.unwrap_err();
    assert!(matches!(error, Error::NotFound { id } if id == unknown));
    let entries = all(curator, None).await;
    let newest = entries.iter().find(|stored| {
        let corrected = |other: &Stored| other.superseded_by == Some(stored.id);
        stored.valid_until.is_none() && entries.iter().any(corrected)
    });
    let newest = newest.expect("the suite corrected one").id;
    let forgotten = within("forgetting", curator.forget(newest)).await.unwrap();
    assert_eq!(forgotten.entries, 3, "what it corrected goes with it");
    assert!(!finds(memory, "Where does Martha live?", newest).await);
    still_said(memory, curator).await;
    for stored in all(curator, None).await {
        within("forgetting", curator.forget(stored.id))
            .await
            .unwrap();
        let shown = curator.show(stored.id).await;
        assert!(matches!(shown, Err(Error::NotFound { .. })));
    }
    assert_eq!(all(curator, None).await, []);
    assert_eq!(
        ask(memory, question("lighthouse Alexandria Pharos")).await,
        []
    );
}

/// What others say as well is told with what was forgotten.
async fn still_said(memory: &dyn Memory, curator: &dyn Curator) {
    let said = "The spare fuse hangs behind the green kayak.";
    let id = keep(memory, self::memory("fuse", said)).await;
    let order = format!("Remember: {said} It is the last one.");
    let holder = keep(
        memory,
        engram(&order, "Noted.", QueryId::from_uuid(fresh_uuid()), "m"),
    )
    .await;
    let other = keep(
        memory,
        self::memory("kayak", "The green kayak leaks at its bow."),
    )
    .await;
    let forgotten = within("forgetting", curator.forget(id)).await.unwrap();
    let held_by = forgotten.held_by.expect("who says the same was looked up");
    let named: Vec<_> = held_by.named.iter().map(|one| (one.id, one.kind)).collect();
    assert_eq!((held_by.entries, named), (1, vec![(holder, Kind::Engram)]));
    let title = held_by.named[0].title.as_str();
    assert!(!title.is_empty() && order.starts_with(title), "{title}");
    for id in [holder, other] {
        let forgotten = within("forgetting", curator.forget(id)).await.unwrap();
        assert_eq!(forgotten.held_by, Some(HeldBy::default()));
    }
}
