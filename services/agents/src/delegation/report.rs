//! A sub-agent's report: asked for under the schema, mended at most `SCHEMA_REPAIRS` times (as every
//! answer under a schema, `contracts/domain/src/limits.rs`), and checked against what the broker
//! returned for the agent's own calls. Who gives none has failed.

use crate::work::Work;
use crate::work::ask::{Ask, AskError, Visibility};
use domain::limits::SCHEMA_REPAIRS;
use domain::message::Message;
use domain::report::{Report, ReportStatus, ResultQuality};
use orchestration::{
    Checked, Flaw, Ledger, REPORT_REQUEST, check_claims, explained_report_schema, failed_report,
    read_report, report_schema, take_out_copies,
};
use std::collections::BTreeSet;
use std::path::Path;

/// Most tokens of a report.
const REPORT_TOKENS: u32 = 1_500;

/// Asks an agent whose turn has ended for its report.
pub(crate) async fn ask(work: &Work) -> Report {
    let (due, mut messages) =
        work.with_state(|state| (state.due(), state.conversation.view.messages()));
    if let Err(fault) = work.tell_shown(due).await {
        return failed_report(&format!("it could not report: {}", fault.message));
    }
    messages.push(user(REPORT_REQUEST.to_owned()));
    let mut mistake = String::new();
    let mut schema = report_schema();
    for _ in 0..=SCHEMA_REPAIRS {
        let ask = Ask {
            response_schema: Some(schema.clone()),
            max_tokens: Some(REPORT_TOKENS),
            temperature: Some(0.0),
            visibility: Visibility::Hidden,
            ..Ask::new(messages.clone())
        };
        let reply = match work.ask_model(ask).await {
            Ok(reply) => reply,
            Err(AskError::Interrupted) => return failed_report("interrupted"),
            Err(error) => {
                let why = format!("it could not report: {}", error.fault().message);
                return failed_report(&why);
            }
        };
        mistake = match read_report(&reply.text) {
            Ok(report) => return report,
            Err(Flaw { words, unexplained }) => {
                if unexplained {
                    schema = explained_report_schema();
                }
                words
            }
        };
        messages.push(Message::Assistant {
            text: reply.text,
            thinking: None,
            tool_calls: Vec::new(),
        });
        messages.push(user(format!(
            "That is no report: {mistake} Answer again, with the JSON alone."
        )));
    }
    failed_report(&format!("it gave no usable report: {mistake}"))
}

fn user(text: String) -> Message {
    Message::User { text }
}

/// Holds a report against the record, and takes out what it copied. `expected` are the files that
/// its task was to leave, `earlier` those that other agents made when they tried it. Also says the
/// record in one line.
pub(crate) async fn check(
    work: &Work,
    report: Report,
    expected: &[String],
    earlier: BTreeSet<String>,
) -> (Checked, String) {
    let folder = &work.request.profile.settings.workspace;
    let mut ledger = Ledger {
        calls: work.agent.resources.record(),
        folder: folder.display().to_string(),
        earlier,
        existing: BTreeSet::new(),
    };
    let named = expected.iter().map(|path| folder.join(path));
    let named = named.map(|path| path.display().to_string());
    let candidates: BTreeSet<String> = ledger.made().into_iter().chain(named).collect();
    for path in candidates {
        // What cannot be looked at is as good as not there.
        if tokio::fs::try_exists(Path::new(&path))
            .await
            .unwrap_or(false)
        {
            ledger.existing.insert(path);
        }
    }
    let line = ledger.line();
    // Before its claims are looked at: what is said of a claim may name it.
    let (mut report, copies) = without_copies(work, report, ledger.folder.clone()).await;
    let failure = lower_after_failure(&mut report, &ledger);
    let mut checked = check_claims(report, &ledger, expected);
    checked.corrections.extend(failure);
    checked.corrections.extend(copies);
    (checked, line)
}

/// Lowers a report that says all went well although the last program failed, and says so.
fn lower_after_failure(report: &mut Report, ledger: &Ledger) -> Option<String> {
    let code = ledger.last_failure()?;
    let is_claim =
        report.status == ReportStatus::Success && turn::claims_success("", &report.summary);
    if !is_claim {
        return None;
    }
    report.status = ReportStatus::Partial;
    if report.result_quality == ResultQuality::Verified {
        report.result_quality = ResultQuality::Inferred;
    }
    Some(format!(
        "It said that all went well, but the last program that it ran ended with exit code {code}: \
         lowered to partial."
    ))
}

/// Takes out what a report repeats word for word of what the agent's tools showed it, and says so.
async fn without_copies(work: &Work, report: Report, folder: String) -> (Report, Vec<String>) {
    let heard = work.agent.resources.take_heard();
    if heard.is_empty() {
        return (report, Vec::new());
    }
    let told = work.request.text.clone();
    let looking = tokio::task::spawn_blocking(move || {
        let mut report = report;
        let corrections = take_out_copies(&mut report, &heard, &told, &folder);
        (report, corrections)
    });
    match looking.await {
        Ok(looked) => looked,
        Err(error) => {
            tracing::error!(%error, "a report could not be held against what its agent was shown");
            let report = failed_report("an internal error ended it");
            (report, Vec::new())
        }
    }
}
