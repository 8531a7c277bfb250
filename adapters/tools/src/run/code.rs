//! `run_code`: a piece of code in a scratch folder, with nothing else and no network.

use super::output::{longer, output};
use super::runner::{Bay, Errand};
use super::scratch::Desk;
use super::toolchain::{self, Language, Toolchain};
use crate::arguments;
use crate::failure::{mendable, of_call};
use api::authority::JudgedCall;
use api::executor::{ProgressSink, ToolFailure};
use api::sandbox::{Job, Network};
use domain::tool::ToolOutput;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunCode {
    language: Language,
    code: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    timeout_secs: Option<u64>,
}

impl RunCode {
    /// Everything in the scratch folder.
    fn contents(self) -> Result<BTreeMap<PathBuf, Vec<u8>>, ToolFailure> {
        let main = self.language.file();
        let mut all = BTreeMap::new();
        for (name, text) in self.files {
            let path = PathBuf::from(&name);
            let is_inside = !name.is_empty()
                && !name.contains('\0')
                && path.components().all(|c| matches!(c, Component::Normal(_)));
            if !is_inside {
                return Err(mendable(
                    "bad_file_name",
                    of_call(format!("`{name}` is no path inside the scratch folder.")),
                ));
            }
            if path == Path::new(main) {
                return Err(mendable(
                    "file_taken",
                    of_call(format!(
                        "`{main}` is where the code itself goes. Give the file another name."
                    )),
                ));
            }
            all.insert(path, text.into_bytes());
        }
        all.insert(PathBuf::from(main), self.code.into_bytes());
        Ok(all)
    }
}

fn argv(language: Language, chain: &Toolchain) -> Vec<String> {
    let program = chain.program.to_string_lossy().into_owned();
    let parts: &[&str] = match language {
        Language::Python => &["-B", "main.py"],
        Language::Shell => &["main.sh"],
        Language::Javascript => &["main.js"],
        // A fixed text: the compiler's path is its argument, not a part of it.
        Language::Rust => {
            let script = "\"$1\" --edition 2024 -o main main.rs && exec ./main";
            return ["/bin/sh", "-c", script, "sh", &program]
                .map(str::to_owned)
                .to_vec();
        }
    };
    let rest = parts.iter().map(|part| (*part).to_owned());
    std::iter::once(program).chain(rest).collect()
}

pub(super) async fn run(
    bay: &Bay,
    call: &JudgedCall,
    progress: &ProgressSink,
) -> Result<ToolOutput, ToolFailure> {
    let asked: RunCode = arguments::parse(&call.arguments)?;
    let language = asked.language;
    let limits = bay.limits(asked.timeout_secs);
    let chain = toolchain::find(language, &bay.given.home)?;
    let desk = Desk::new()?;
    let job = Job {
        argv: argv(language, &chain),
        folder: desk.folder.clone(),
        read: chain.read.clone(),
        write: Vec::new(),
        scratch: desk.with(asked.contents()?),
        frozen: Vec::new(),
        hidden: Vec::new(),
        environment: desk.environment(&chain.programs),
        input: Vec::new(),
        network: Network::None,
        limits,
    };
    let errand = Errand {
        job,
        desk,
        searched: Vec::new(),
        guarded: Vec::new(),
    };
    let (finished, notes) = bay.finish(errand, progress).await?;
    output("run_code", &finished, &longer(&finished, notes))
}

pub(super) fn preview(bay: &Bay, call: &JudgedCall) -> Result<String, ToolFailure> {
    let asked: RunCode = arguments::parse(&call.arguments)?;
    let chain = toolchain::find(asked.language, &bay.given.home)?;
    let program = chain.program.display().to_string();
    let files = asked.contents()?.len();
    Ok(format!(
        "Runs {program} in the sandbox: an empty scratch folder with {files} file(s), no network, \
         none of your files.\n"
    ))
}
