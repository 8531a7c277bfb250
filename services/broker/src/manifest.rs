//! Reads the manifest: the shipped agents.yaml, and the user's own on top of it.

use crate::config::Config;
use crate::error::Error;
use domain::lineage::AgentType;
use domain::model::ModelRole;
use domain::rights::{Namespace, WebContent};
use domain::tool::ToolName;
use policy::manifest::{
    AgentRule, CAPABILITIES, Manifest, MemoryPart, Selector, StatedPaths, is_capability,
};
use policy::paths::{PathSet, normalise};
use policy::table::ToolTable;
use serde::Deserialize;
use serde_saphyr::Spanned;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;
use tooltable::yaml::{Trouble, trouble};

/// The agent types Housecarl ships, as text: what a file of the user's own can say.
pub const SHIPPED: &str = include_str!("../../../config/agents.yaml");
/// How the shipped file is named in errors.
const SHIPPED_NAME: &str = "agents.yaml (shipped)";
/// Largest number in `limits`.
const MOST: u32 = 10_000_000;
/// Largest manifest read, bytes.
const MANIFEST_BYTES: u64 = 1 << 20;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileForm {
    #[serde(default)]
    agents: BTreeMap<String, Spanned<AgentForm>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentForm {
    description: String,
    model_role: Spanned<String>,
    #[serde(default)]
    allowed_tools: Vec<Spanned<String>>,
    #[serde(default)]
    delegates: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    allowed_paths: PathsForm,
    #[serde(default)]
    can_spawn: Vec<Spanned<String>>,
    #[serde(default)]
    orchestrates: Option<Spanned<bool>>,
    #[serde(default)]
    limits: LimitsForm,
    #[serde(default)]
    wait_tools: Vec<Spanned<String>>,
    #[serde(default)]
    memory: Vec<Spanned<String>>,
    #[serde(default)]
    web_content: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PathsForm {
    fs_read: Option<Vec<Spanned<String>>>,
    fs_write: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsForm {
    calls_per_task: Option<Spanned<u32>>,
    agent_tokens: Option<Spanned<u64>>,
    agent_minutes: Option<Spanned<u64>>,
}

/// Reads and checks both files.
pub(crate) fn load(config: &Config, table: &ToolTable) -> Result<Manifest, Error> {
    let user = match &config.agents_file {
        None => None,
        Some(file) => Some((file.display().to_string(), read(file)?)),
    };
    let user = user
        .as_ref()
        .map(|(name, text)| (name.as_str(), text.as_str()));
    parse(user, &config.home, table)
}

fn read(file: &Path) -> Result<String, Error> {
    let unreadable = |source| Error::ManifestUnreadable {
        file: file.to_path_buf(),
        source,
    };
    let facts = std::fs::metadata(file).map_err(unreadable)?;
    // A pipe would be waited on for ever, and a device may have no end.
    if !facts.is_file() {
        return Err(unreadable(std::io::Error::other("it is no regular file")));
    }
    if facts.len() > MANIFEST_BYTES {
        return Err(Error::ManifestTooLarge {
            file: file.to_path_buf(),
            limit: MANIFEST_BYTES,
        });
    }
    std::fs::read_to_string(file).map_err(unreadable)
}

/// Parses the shipped file and, on top, the user's `(name, text)`.
fn parse(user: Option<(&str, &str)>, home: &Path, table: &ToolTable) -> Result<Manifest, Error> {
    let files: Vec<(&str, FileForm)> = [Some((SHIPPED_NAME, SHIPPED)), user]
        .into_iter()
        .flatten()
        .map(|(name, text)| Ok((name, form(name, text)?)))
        .collect::<Result<_, Error>>()?;
    let known: BTreeSet<String> = files
        .iter()
        .flat_map(|(_, form)| form.agents.keys().cloned())
        .collect();
    let mut manifest = Manifest::default();
    for (name, form) in files {
        let reader = Reader {
            file: name,
            home,
            table,
            known: &known,
        };
        for (agent, form) in form.agents {
            let line = form.referenced.line();
            let agent = AgentType::new(agent).map_err(|e| reader.fail(line, e.to_string()))?;
            manifest.agents.insert(agent, reader.agent(form.value)?);
        }
    }
    Ok(manifest)
}

fn form(file: &str, text: &str) -> Result<FileForm, Error> {
    serde_saphyr::from_str(text).map_err(|error| {
        let Trouble { line, problem } = trouble(&error);
        Error::ManifestInvalid {
            file: file.to_owned(),
            line,
            problem,
        }
    })
}

struct Reader<'a> {
    file: &'a str,
    home: &'a Path,
    table: &'a ToolTable,
    known: &'a BTreeSet<String>,
}

impl Reader<'_> {
    fn fail(&self, line: u64, problem: String) -> Error {
        Error::ManifestInvalid {
            file: self.file.to_owned(),
            line,
            problem,
        }
    }

    fn agent(&self, form: AgentForm) -> Result<AgentRule, Error> {
        let web_content = self.web_content(&form)?;
        let orchestrates = self.orchestrates(&form)?;
        let limits = &form.limits;
        let calls_per_task = self.limit("calls_per_task", limits.calls_per_task.as_ref())?;
        let agent_tokens = self.limit("agent_tokens", limits.agent_tokens.as_ref())?;
        let agent_minutes = self.limit("agent_minutes", limits.agent_minutes.as_ref())?;
        Ok(AgentRule {
            description: form.description,
            allowed_tools: self.selectors(&form.allowed_tools)?,
            delegates: form.delegates.map(|d| self.selectors(&d)).transpose()?,
            allowed_paths: StatedPaths {
                read: form
                    .allowed_paths
                    .fs_read
                    .map(|p| self.paths(&p))
                    .transpose()?,
                write: form
                    .allowed_paths
                    .fs_write
                    .map(|p| self.paths(&p))
                    .transpose()?,
            },
            can_spawn: self.types(&form.can_spawn)?,
            orchestrates,
            calls_per_task,
            agent_tokens,
            agent_time: agent_minutes.map(|minutes| Duration::from_secs(minutes * 60)),
            wait_tools: self.tools(&form.wait_tools)?,
            memory: self.memory(&form.memory)?,
            web_content,
            model_role: self.role(&form.model_role)?,
        })
    }

    /// A limit of `limits`: 1 or more, and at most ten million so that no arithmetic overflows.
    fn limit<T>(&self, name: &str, limit: Option<&Spanned<T>>) -> Result<Option<T>, Error>
    where
        T: Copy + PartialOrd + From<u32>,
    {
        let Some(limit) = limit else {
            return Ok(None);
        };
        if limit.value < T::from(1) || limit.value > T::from(MOST) {
            let problem = format!("`{name}` must be at least 1 and at most {MOST}");
            return Err(self.fail(limit.referenced.line(), problem));
        }
        Ok(Some(limit.value))
    }

    /// Who takes requests apart must have somebody to hand the parts to.
    fn orchestrates(&self, form: &AgentForm) -> Result<bool, Error> {
        let Some(flag) = &form.orchestrates else {
            return Ok(false);
        };
        if flag.value && form.can_spawn.is_empty() {
            let problem = "`orchestrates` needs types in `can_spawn` to hand the parts to";
            return Err(self.fail(flag.referenced.line(), problem.to_owned()));
        }
        Ok(flag.value)
    }

    fn selectors(&self, texts: &[Spanned<String>]) -> Result<BTreeSet<Selector>, Error> {
        let one = |text: &Spanned<String>| {
            if is_capability(&text.value) {
                return Ok(Some(Selector::Capability(text.value.clone())));
            }
            match self.table.find(&text.value) {
                Some((_, tool)) => Ok(Some(Selector::Tool(tool.spec.definition.name.clone()))),
                // A broker over other executors has the shipped types without it.
                None if self.file == SHIPPED_NAME => Ok(None),
                None => {
                    let problem = format!(
                        "`{}` is neither a tool nor a capability; capabilities are {} and \
                         `mcp.SERVER.*`",
                        text.value,
                        CAPABILITIES.join(", ")
                    );
                    Err(self.fail(text.referenced.line(), problem))
                }
            }
        };
        let selectors: Result<Vec<_>, Error> = texts.iter().map(one).collect();
        Ok(selectors?.into_iter().flatten().collect())
    }

    fn tools(&self, texts: &[Spanned<String>]) -> Result<BTreeSet<ToolName>, Error> {
        let one = |text: &Spanned<String>| match self.table.find(&text.value) {
            Some((_, tool)) => Ok(tool.spec.definition.name.clone()),
            None => Err(self.fail(
                text.referenced.line(),
                format!("no tool is named `{}`", text.value),
            )),
        };
        texts.iter().map(one).collect()
    }

    fn types(&self, texts: &[Spanned<String>]) -> Result<BTreeSet<AgentType>, Error> {
        let one = |text: &Spanned<String>| {
            let line = text.referenced.line();
            if !self.known.contains(&text.value) {
                let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
                let problem = format!(
                    "no agent type is named `{}`; there are {}",
                    text.value,
                    known.join(", ")
                );
                return Err(self.fail(line, problem));
            }
            AgentType::new(text.value.clone()).map_err(|e| self.fail(line, e.to_string()))
        };
        texts.iter().map(one).collect()
    }

    fn paths(&self, texts: &[Spanned<String>]) -> Result<PathSet, Error> {
        let one = |text: &Spanned<String>| {
            let line = text.referenced.line();
            if !text.value.starts_with(['/', '~']) {
                let problem = format!(
                    "`{}` must be absolute or begin with `~/`: a manifest has no working folder",
                    text.value
                );
                return Err(self.fail(line, problem));
            }
            normalise(self.home, self.home, OsStr::new(&text.value))
                .map_err(|e| self.fail(line, format!("`{}`: {e}", text.value)))
        };
        let paths: Vec<_> = texts.iter().map(one).collect::<Result<_, Error>>()?;
        Ok(PathSet::in_home(self.home, paths))
    }

    fn memory(&self, texts: &[Spanned<String>]) -> Result<BTreeSet<MemoryPart>, Error> {
        let one = |text: &Spanned<String>| match text.value.as_str() {
            "user" => Ok(MemoryPart::User),
            "project" => Ok(MemoryPart::Project),
            "agent" => Ok(MemoryPart::Agent),
            other => Namespace::new(other)
                .map(MemoryPart::Named)
                .map_err(|e| self.fail(text.referenced.line(), e.to_string())),
        };
        texts.iter().map(one).collect()
    }

    /// Who starts other agents plans by what they report: it reads no pages.
    fn web_content(&self, form: &AgentForm) -> Result<WebContent, Error> {
        let Some(text) = &form.web_content else {
            return Ok(WebContent::Summary);
        };
        let problem = match text.value.as_str() {
            "summary" => return Ok(WebContent::Summary),
            "extracted" if form.can_spawn.is_empty() => return Ok(WebContent::Extracted),
            "extracted" => "an agent type with `can_spawn` is shown summaries of web pages alone; \
                            leave `web_content` out, and have a type that it starts read them"
                .to_owned(),
            other => format!("`web_content` is `summary` or `extracted`, not `{other}`"),
        };
        Err(self.fail(text.referenced.line(), problem))
    }

    fn role(&self, text: &Spanned<String>) -> Result<ModelRole, Error> {
        let found = ModelRole::ALL
            .into_iter()
            .find(|r| r.as_str() == text.value);
        found.ok_or_else(|| {
            let roles: Vec<&str> = ModelRole::ALL.iter().map(|r| r.as_str()).collect();
            let problem = format!(
                "no model role is named `{}`; there are {}",
                text.value,
                roles.join(", ")
            );
            self.fail(text.referenced.line(), problem)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(user: &str) -> Result<Manifest, Error> {
        let table = ToolTable::default();
        parse(Some(("my.yaml", user)), Path::new("/home/u"), &table)
    }

    fn agent(name: &str) -> AgentType {
        AgentType::new(name).unwrap()
    }

    #[test]
    fn the_shipped_types_are_there() {
        let manifest = parsed("").unwrap();
        let names: Vec<&str> = manifest.agents.keys().map(AgentType::as_str).collect();
        assert_eq!(
            names,
            [
                "assistant",
                "coder",
                "orchestrator",
                "researcher",
                "sysadmin"
            ]
        );
        let coder = &manifest.agents[&agent("coder")];
        let researcher = &manifest.agents[&agent("researcher")];
        assert_eq!(researcher.web_content, WebContent::Extracted);
        assert_eq!(coder.web_content, WebContent::Summary);
        assert!(manifest.agents[&agent("orchestrator")].orchestrates);
        assert!(!coder.orchestrates);
        assert!(coder.memory.contains(&MemoryPart::Project));
        let write = coder.allowed_paths.write.as_ref().unwrap();
        assert!(write.contains(Path::new("/home/u/projects/x")));
        assert!(!write.contains(Path::new("/home/u/projects-x")));
    }

    #[test]
    fn a_users_type_replaces_the_shipped_one_and_others_stay() {
        let text = "agents:\n  coder:\n    description: mine\n    model_role: fast\n    \
                    allowed_tools: [fs_read]\n";
        let manifest = parsed(text).unwrap();
        assert_eq!(manifest.agents[&agent("coder")].description, "mine");
        assert_eq!(manifest.agents[&agent("coder")].can_spawn, BTreeSet::new());
        assert_eq!(manifest.agents.len(), 5);
    }

    #[test]
    fn limits_have_bounds_and_who_orchestrates_has_someone_to_hand_work_to() {
        let head = "agents:\n  x:\n    description: d\n    model_role: fast\n";
        for (line, word) in [
            ("limits: { agent_tokens: 0 }", "agent_tokens"),
            ("limits: { agent_minutes: 10000001 }", "agent_minutes"),
            ("orchestrates: true", "can_spawn"),
        ] {
            match parsed(&format!("{head}    {line}\n")) {
                Err(Error::ManifestInvalid {
                    line: 5, problem, ..
                }) => {
                    assert!(problem.contains(word), "{problem}");
                }
                other => panic!("{line}: {other:?}"),
            }
        }
        let most = format!("{head}    limits: {{ agent_minutes: 10000000 }}\n");
        assert!(parsed(&most).is_ok());
    }

    #[test]
    fn every_mistake_names_file_and_line() {
        let head = "agents:\n  x:\n    description: d\n    model_role: fast\n";
        let table = [
            (format!("{head}    colour: red\n"), 5, "colour"),
            (
                format!("{head}    allowed_tools: [fs_reed]\n"),
                5,
                "fs_reed",
            ),
            (
                format!("{head}    delegates:\n      - self\n      - nope\n"),
                7,
                "nope",
            ),
            (format!("{head}    can_spawn: [ghost]\n"), 5, "ghost"),
            (format!("{head}    wait_tools: [ghost]\n"), 5, "ghost"),
            (
                format!("{head}    allowed_paths:\n      fs_read: [rel]\n"),
                6,
                "rel",
            ),
            (
                format!("{head}    allowed_paths:\n      run_code: []\n"),
                6,
                "run_code",
            ),
            (
                format!("{head}    limits: {{ calls_per_task: 0 }}\n"),
                5,
                "calls_per_task",
            ),
            (format!("{head}    memory: [user, \"\"]\n"), 5, "namespace"),
            (format!("{head}    web_content: raw\n"), 5, "raw"),
            (
                format!("{head}    can_spawn: [x]\n    web_content: extracted\n"),
                6,
                "can_spawn",
            ),
            (
                "agents:\n  x:\n    description: d\n    model_role: genius\n".to_owned(),
                4,
                "genius",
            ),
            (
                "agents:\n  Bad Name:\n    description: d\n    model_role: fast\n".to_owned(),
                3,
                "Bad",
            ),
            ("agents: {}\nextra: 1\n".to_owned(), 2, "extra"),
            ("agents: [\n".to_owned(), 1, ""),
        ];
        for (text, expected, word) in table {
            match parsed(&text) {
                Err(Error::ManifestInvalid {
                    file,
                    line,
                    problem,
                }) => {
                    assert_eq!(file, "my.yaml");
                    assert!(problem.contains(word), "{problem}");
                    assert_eq!(line, expected, "{problem}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
