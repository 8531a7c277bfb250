//! `run_code`: a piece of code in a scratch folder, with nothing else and no network.

use crate::output::{longer, output};
use crate::runner::{Launch, Runner};
use crate::scratch::ScratchFolder;
use crate::toolchain::{self, Language, Toolchain};
use api::authority::JudgedCall;
use api::executor::{ReportSink, ToolFailure};
use api::failure::{mendable, of_call};
use api::sandbox::{Job, Network};
use domain::tool::ToolOutput;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use text::escape::quoted_argv;

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

pub(crate) async fn run(
    runner: &Runner,
    call: &JudgedCall,
    progress: &ReportSink,
) -> Result<ToolOutput, ToolFailure> {
    let asked: RunCode = call.parse_arguments()?;
    let language = asked.language;
    let limits = runner.limits(asked.timeout_secs);
    let chain = toolchain::find(language, &runner.config.home)?;
    let scratch = ScratchFolder::new()?;
    let job = Job {
        argv: argv(language, &chain),
        folder: scratch.folder.clone(),
        read: chain.read.clone(),
        write: Vec::new(),
        scratch: scratch.with(asked.contents()?),
        links: Vec::new(),
        held: Vec::new(),
        frozen: Vec::new(),
        hidden: Vec::new(),
        expendable: Vec::new(),
        environment: scratch.environment(&chain.programs),
        input: Vec::new(),
        network: Network::None,
        limits,
    };
    let launch = Launch {
        job,
        scratch,
        searched: Vec::new(),
        guarded: Vec::new(),
        session_id: None,
        checkpoints: None,
    };
    let line = quoted_argv(&launch.job.argv);
    let shown = (call, line);
    let (finished, notes) = runner.finish_shown(shown, launch, progress).await?;
    output("run_code", &finished, &longer(&finished, notes))
}

pub(crate) fn preview(runner: &Runner, call: &JudgedCall) -> Result<String, ToolFailure> {
    let asked: RunCode = call.parse_arguments()?;
    let chain = toolchain::find(asked.language, &runner.config.home)?;
    let program = chain.program.display().to_string();
    let files = asked.contents()?.len();
    Ok(format!(
        "Runs {program} in the sandbox: an empty scratch folder with {files} file(s), no network, \
         none of your files.\n"
    ))
}
