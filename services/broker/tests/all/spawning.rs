//! Over random manifests and random trees of agents that start each other, through the broker
//! itself: nobody uses a tool or reads a path that any agent above it could not hand down.

use crate::support::{agent, file_tools};
use api::CallContext;
use api::broker::{Broker, CallRequest, Control, ErrorKind, Registered};
use broker::{Config, Service};
use contracts::{FakeAudit, FakeExecutor, fresh_uuid};
use domain::Timestamp;
use domain::decision::{Decision, Layer, Verdict};
use domain::id::{CallId, SessionId, TraceId};
use domain::limits::SPAWN_DEPTH;
use domain::settings::{Attendance, SessionSettings};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

const TYPES: [&str; 4] = ["ta", "tb", "tc", "td"];
const TOOLS: [&str; 3] = ["read_file", "write_file", "delete_file"];
const PLACES: [&str; 3] = ["/x", "/x/y", "/z"];

/// One type of agent, as generated.
#[derive(Debug, Clone)]
struct Type {
    tools: BTreeSet<&'static str>,
    delegates: Option<BTreeSet<&'static str>>,
    reads: Option<Vec<&'static str>>,
    spawns: BTreeSet<&'static str>,
}

impl Type {
    fn hands_down(&self) -> &BTreeSet<&'static str> {
        self.delegates.as_ref().unwrap_or(&self.tools)
    }

    fn may_read(&self, path: &str) -> bool {
        let inside = |place: &&str| path == *place || path.starts_with(&format!("{place}/"));
        self.reads
            .as_ref()
            .is_some_and(|reads| reads.iter().any(inside))
    }
}

fn some(of: &'static [&'static str]) -> impl Strategy<Value = BTreeSet<&'static str>> {
    proptest::sample::subsequence(of.to_vec(), 0..=of.len())
        .prop_map(|picked| picked.into_iter().collect())
}

fn one_type() -> impl Strategy<Value = Type> {
    (
        some(&TOOLS),
        proptest::option::of(some(&TOOLS)),
        proptest::option::of(proptest::sample::subsequence(PLACES.to_vec(), 0..=3)),
        some(&TYPES),
    )
        .prop_map(|(tools, delegates, reads, spawns)| Type {
            tools,
            delegates,
            reads,
            spawns,
        })
}

/// Who starts whom: the place of the parent among those before it, and the type asked for.
fn tree() -> impl Strategy<Value = Vec<(usize, usize)>> {
    proptest::collection::vec((any::<usize>(), 0..TYPES.len()), 1..12)
}

fn manifest(types: &[Type]) -> String {
    let list = |names: &BTreeSet<&str>| {
        let names: Vec<&str> = names.iter().copied().collect();
        format!("[{}]", names.join(", "))
    };
    let mut text = "agents:\n".to_owned();
    for (name, one) in TYPES.iter().zip(types) {
        let _ = write!(
            text,
            "  {name}:\n    description: d\n    model_role: fast\n    allowed_tools: {}\n    \
             can_spawn: {}\n",
            list(&one.tools),
            list(&one.spawns)
        );
        if let Some(delegates) = &one.delegates {
            let _ = writeln!(text, "    delegates: {}", list(delegates));
        }
        if let Some(reads) = &one.reads {
            let _ = write!(
                text,
                "    allowed_paths:\n      fs_read: [{}]\n",
                reads.join(", ")
            );
        }
    }
    text
}

struct Tree {
    broker: Service,
    session_id: SessionId,
    trace_id: TraceId,
    /// Each with its chain of types, itself last.
    agents: Vec<(Registered, Vec<usize>)>,
}

impl Tree {
    async fn grown(types: &[Type], edges: &[(usize, usize)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("agents.yaml");
        std::fs::write(&file, manifest(types)).unwrap();
        let mut config = Config::new(PathBuf::from("/home/u"), Vec::new());
        config.agents_file = Some(file);
        let executor = Arc::new(FakeExecutor::new(file_tools()));
        let clock = Arc::new(|| Timestamp::UNIX_EPOCH);
        let broker = Service::new(config, Arc::new(FakeAudit::new()), executor, clock).unwrap();
        let session_id = SessionId::from_uuid(fresh_uuid());
        let mut settings = SessionSettings::closed(PathBuf::from("/w"));
        settings.attendance = Attendance::Attended;
        let root = broker
            .open_session(session_id, agent(TYPES[0]), settings)
            .await
            .unwrap();
        let mut tree = Self {
            broker,
            session_id,
            trace_id: TraceId::from_uuid(fresh_uuid()),
            agents: vec![(root, vec![0])],
        };
        for (parent, wanted) in edges {
            tree.grow(types, parent % tree.agents.len(), *wanted).await;
        }
        tree
    }

    async fn grow(&mut self, types: &[Type], parent: usize, wanted: usize) {
        let (above, chain) = self.agents[parent].clone();
        let asked = self
            .broker
            .register_agent(self.context(&above), agent(TYPES[wanted]));
        let may = types[chain[chain.len() - 1]].spawns.contains(TYPES[wanted]);
        match asked.await {
            Ok(child) => {
                assert!(may, "{} was started by one that may not", TYPES[wanted]);
                assert_eq!(child.lineage.len(), chain.len() + 1);
                assert!(child.lineage.len() <= SPAWN_DEPTH);
                let mut chain = chain;
                chain.push(wanted);
                self.agents.push((child, chain));
            }
            Err(error) => match error.kind {
                ErrorKind::UnknownAgentType => assert!(!may),
                ErrorKind::LimitReached => assert_eq!(chain.len(), SPAWN_DEPTH),
                kind => panic!("{kind:?}"),
            },
        }
    }

    fn context(&self, who: &Registered) -> CallContext {
        CallContext {
            session_id: self.session_id,
            agent_token: who.token.clone(),
            trace_id: self.trace_id,
        }
    }

    async fn judged(&self, who: &Registered, tool: &str, path: &str) -> Decision {
        let mut arguments = json!({ "path": path });
        if tool == "write_file" {
            arguments["content"] = json!("x");
        }
        let request = CallRequest {
            context: self.context(who),
            call_id: CallId::from_uuid(fresh_uuid()),
            tool: tool.to_owned(),
            arguments,
            plan_id: None,
            batch: None,
            recovered: false,
        };
        self.broker.validate(request).await.unwrap()
    }
}

fn refused_by_rights(decision: &Decision) -> bool {
    let mut findings = decision.findings.iter();
    findings.any(|finding| {
        finding.verdict == Verdict::Deny
            && matches!(finding.layer, Layer::Manifest | Layer::Lineage)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn nobody_exceeds_any_ancestor(
        types in proptest::collection::vec(one_type(), TYPES.len()), edges in tree()
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let tree = Tree::grown(&types, &edges).await;
            for (who, chain) in &tree.agents {
                let (own, above) = chain.split_last().unwrap();
                for tool in TOOLS {
                    let handed = above.iter().all(|t| types[*t].hands_down().contains(tool));
                    let may = types[*own].tools.contains(tool) && handed;
                    let decision = tree.judged(who, tool, "/w/a").await;
                    assert_eq!(refused_by_rights(&decision), !may, "{chain:?} {tool} {decision:?}");
                }
                for path in ["/x/a", "/x/y/a", "/z/a", "/q/a"] {
                    let decision = tree.judged(who, "read_file", path).await;
                    let open = |t: &usize| types[*t].reads.is_none() || types[*t].may_read(path);
                    let may = types[*own].may_read(path) && above.iter().all(open);
                    assert!(may || decision.verdict == Verdict::Deny, "{chain:?} {path} {decision:?}");
                }
            }
        });
    }
}
