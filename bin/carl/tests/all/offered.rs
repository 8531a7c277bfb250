//! What the shipped agent types are offered of the built-in tools, which several crates hold.

use api::executor::Executor;
use contracts::{FakeMemory, FakeSearch};
use domain::tool::ToolSpec;
use files::FileTools;
use programs::ProgramTools;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tools::{MemoryTools, WebTools};

fn built_in() -> Vec<ToolSpec> {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let files = FileTools::new(files::Config::new(at("undo"), Vec::new(), at("home"))).unwrap();
    let programs = ProgramTools::new(programs::Config {
        sandbox: Arc::new(sandbox::Service::default()),
        home: at("home"),
        reader: PathBuf::from("/bin/true"),
        program_time: Duration::from_secs(1),
        air_gap: false,
        protected: files.protected().clone(),
        checkpoints: None,
        own_folders: Vec::new(),
    });
    let mut specs = files.table();
    specs.extend(programs.table());
    specs.extend(MemoryTools::new(Arc::new(FakeMemory::new())).table());
    specs.extend(WebTools::new(Arc::new(FakeSearch::default())).table());
    specs
}

/// No shipped agent type has both what installs on a machine and what asks the web.
#[test]
fn what_an_agent_type_has_of_the_built_in_tools_is_offered_whole() {
    let specs = built_in();
    let coder = [
        "fs_read",
        "fs_write",
        "run_code",
        "run_command",
        "memory_read",
        "memory_write",
        "web_search",
    ];
    let sysadmin = [
        "fs_read",
        "fs_write",
        "run_command",
        "package_install",
        "memory_read",
    ];
    for capabilities in [&coder[..], &sysadmin] {
        let has = |spec: &&ToolSpec| capabilities.contains(&spec.capability.as_str());
        let sizes = specs.iter().filter(has);
        let total: u64 = sizes.map(|spec| discovery::tokens(&spec.definition)).sum();
        assert!(total <= discovery::OFFER_TOKENS, "{total} tokens");
    }
}
