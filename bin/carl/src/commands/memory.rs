//! `carl memory`: the user's own side of memory.

use super::Setting;
use crate::wiring::memories;
use anyhow::Result;
use api::memory::{Detail, Kind, ListRequest, QueryRequest, Scope};
use command_line::{AddArgs, ExportFormat, KindArg, MemoryCommand, Place};
use domain::rights::Namespace;
use memory_export::to_json;
use rendering::memory as render;
use rendering::{Paint, print};
use std::path::Path;
use terminal::exit::{Exit, Failure, OrFail};
use terminal::memory::{self, Addition, Form, Memories};
use text::escape::visible_json;

/// Does what was typed.
///
/// # Errors
/// When memory cannot be opened or used, or what was typed cannot.
pub async fn memory(command: MemoryCommand) -> Result<Exit> {
    let setting = Setting::plain()?;
    let (memories, _lock) = memories(&setting).await?;
    match command {
        MemoryCommand::Search {
            question,
            explain,
            limit,
            place,
            json,
        } => {
            let request = QueryRequest {
                context: None,
                text: question.join(" "),
                scope: scope(&setting, &place)?,
                limit,
                detail: Detail::Segment,
                at_least: 0.0,
            };
            memory::search(&memories, request, explain, json).await
        }
        MemoryCommand::Show { id, json } => {
            let id = memory::resolve(&memories, &id).await?;
            let stored = memory::shown(&memories, id).await?;
            print(&match json {
                true => visible_json(&format!("{:#}\n", to_json(&stored))),
                false => render::entry(&stored, Paint::for_stream(&std::io::stdout())),
            })?;
            Ok(Exit::Success)
        }
        MemoryCommand::Add(args) => add(&setting, &memories, args).await,
        MemoryCommand::Forget { id, yes } => {
            let id = memory::resolve(&memories, &id).await?;
            memory::forget(&memories, id, yes, &setting.paths.sessions()).await
        }
        MemoryCommand::List {
            place,
            kind,
            limit,
            json,
        } => {
            let kind = kind.map(kind_of);
            let scope = scope(&setting, &place)?;
            let limit = limit.map(|limit| limit as usize);
            memory::list(&memories, ListRequest { scope, kind }, limit, json).await
        }
        MemoryCommand::Export {
            file,
            format,
            place,
        } => {
            let scope = scope(&setting, &place)?;
            let form = form_of(format, file.as_deref());
            memory::export(&memories, scope, (file.as_deref(), form)).await
        }
        MemoryCommand::Import { file } => memory::import(&memories, &file).await,
        MemoryCommand::Stats { json } => {
            let stats = memories.curator.stats().await.or_fail()?;
            print(&render::stats(&stats, json)?)?;
            Ok(Exit::Success)
        }
        MemoryCommand::Reindex => {
            let stats = memories.curator.reindex().await.or_fail()?;
            print(&render::stats(&stats, false)?)?;
            Ok(Exit::Success)
        }
    }
}

/// A namespace as it is typed: `project` is the current folder's.
///
/// # Errors
/// A usage failure when it cannot be one.
pub(super) fn namespace(setting: &Setting, name: &str) -> Result<Namespace> {
    let found = match name == "project" {
        true => Namespace::project(&setting.workspace).map_err(|error| error.to_string()),
        false => memory_export::namespace(name),
    };
    found.map_err(|why| {
        let hint =
            "`user`, `project`, `agent:TYPE` with a type of `agents.yaml`, or a word of yours.";
        Failure::usage(format!("--namespace: {why}"), hint).into()
    })
}

fn scope(setting: &Setting, place: &Place) -> Result<Scope> {
    if place.namespaces.is_empty() {
        return Ok(Scope::All);
    }
    let names = place.namespaces.iter().map(|name| namespace(setting, name));
    names.collect::<Result<_>>().map(Scope::Only)
}

async fn add(setting: &Setting, memories: &Memories, args: AddArgs) -> Result<Exit> {
    let named = args.namespace.as_deref();
    let addition = Addition {
        text: memory::typed(&args.text)?,
        name: args.name,
        description: args.description,
        tags: args.tags,
        supersedes: args.supersedes,
        namespace: named.map(|name| namespace(setting, name)).transpose()?,
    };
    memory::add(memories, addition).await
}

/// The form that is named, or that the file is named for.
fn form_of(format: Option<ExportFormat>, file: Option<&Path>) -> Form {
    let ending = file.and_then(Path::extension);
    let is_table = || ending.is_some_and(|end| end.eq_ignore_ascii_case("parquet"));
    match format {
        Some(ExportFormat::Jsonl) => Form::Lines,
        Some(ExportFormat::Parquet) => Form::Parquet,
        None if is_table() => Form::Parquet,
        None => Form::Lines,
    }
}

const fn kind_of(kind: KindArg) -> Kind {
    match kind {
        KindArg::Memory => Kind::Memory,
        KindArg::Engram => Kind::Engram,
    }
}
