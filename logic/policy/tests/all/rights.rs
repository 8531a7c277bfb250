//! Which memories a lineage reaches, and how much of a web page.

use crate::support::{agent, manifest, table};
use domain::lineage::AgentType;
use domain::rights::{Namespace, WebContent};
use policy::manifest::MemoryPart::{self, Agent, Project, User};
use policy::standing::Standing;
use policy::table::ToolTable;
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn a_child_sees_no_memory_that_an_agent_above_it_does_not() {
    let mut manifest = manifest();
    let notes = Namespace::new("notes").unwrap();
    let mut set = |name: &str, parts: &[MemoryPart], content| {
        let rule = manifest.agents.get_mut(&agent(name)).unwrap();
        rule.memory = parts.iter().cloned().collect();
        rule.web_content = content;
    };
    let named = MemoryPart::Named(notes.clone());
    set("chief", &[User, Agent, named.clone()], WebContent::Summary);
    set("coder", &[User, Project, Agent], WebContent::Extracted);
    let table = ToolTable::new(table()).unwrap();
    let rights = |lineage: &[&str]| {
        let lineage: Vec<AgentType> = lineage.iter().map(|name| agent(name)).collect();
        let standing = Standing::of(&manifest, &table, &BTreeSet::new(), &lineage).unwrap();
        standing.rights(Path::new("/w"))
    };
    let project = Namespace::project(Path::new("/w")).unwrap();
    let own = |name: &str| Namespace::agent(&agent(name));
    let alone = rights(&["coder"]);
    assert_eq!(alone.namespaces, [Namespace::user(), project, own("coder")]);
    let child = rights(&["chief", "coder"]);
    assert_eq!(child.namespaces, [Namespace::user(), own("coder")]);
    assert_eq!(child.web_content, WebContent::Extracted);
    let chief = rights(&["chief"]);
    assert_eq!(chief.namespaces, [Namespace::user(), own("chief"), notes]);
    assert_eq!(rights(&["reader"]).namespaces, []);
}
