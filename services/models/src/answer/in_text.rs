//! Calls that were looked for in a model's text: which are taken, and what is said of the others.

use super::{Answer, Round};
use crate::call::{Form, ToolChoice};
use crate::config::ToolCalls;
use crate::error::{Error, notice};
use crate::spoken;
use api::models::{CALL_CUT_CODE, CALL_NOT_OFFERED_CODE, ChatChunk};
use calls::leaked::{self, LeakedCall};
use domain::message::Message;
use domain::model::FinishReason;
use serde_json::Value;
use text::escape::visible_line;

/// How much of a call that was not run a notice quotes, characters.
const QUOTED_CHARS: usize = 500;

impl Answer {
    /// Takes calls that are the whole answer, unless the model repeats what it was shown.
    pub(super) fn leaked(&mut self, calls: Vec<LeakedCall>, written: String) {
        let first = || calls.first().map(|call| call.name.clone());
        let repeated = || self.repeats(&written).then(first).flatten();
        if let Some(tool) = self.quoted(&calls).or_else(repeated) {
            self.sorted(leaked::Piece::Text(written));
            self.left(&tool);
            return;
        }
        if self.call.tool_choice == ToolChoice::None {
            self.withheld(&calls);
            return;
        }
        for call in calls {
            // Some servers give the same call both ways.
            let mut native = self.round.native.iter();
            let is_repeated =
                native.any(|(name, arguments)| *name == call.name && *arguments == call.arguments);
            if !is_repeated {
                self.call(call.name, call.arguments, true);
            }
        }
    }

    /// Whether what the model wrote stands word for word in what it was shown.
    fn repeats(&self, written: &str) -> bool {
        let shown = &self.call;
        let mut texts = shown
            .messages
            .iter()
            .filter_map(|one| said(one, &shown.form));
        texts.any(|text| leaked::repeats(text, written))
    }

    /// The tool of the first call that stands in what the model was shown.
    fn quoted(&self, calls: &[LeakedCall]) -> Option<String> {
        let shown = &self.call;
        let is_shown = |call: &&LeakedCall| {
            let mut texts = shown
                .messages
                .iter()
                .filter_map(|one| said(one, &shown.form));
            texts.any(|text| leaked::stands_in(text, call))
        };
        calls.iter().find(is_shown).map(|call| call.name.clone())
    }

    /// Leaves out what is nothing but calls, one of them of a tool that is not on offer, and says so,
    /// unless the model repeats what it was shown.
    pub(super) fn not_offered(&mut self, calls: &[LeakedCall], tool: &str, written: String) {
        if self.quoted(calls).is_some() {
            self.sorted(leaked::Piece::Text(written));
            return;
        }
        self.round.failed_call = Some(notice(
            CALL_NOT_OFFERED_CODE,
            format!(
                "{} answered with nothing but a call of `{tool}`, which is no tool that it has; \
                 nothing was run",
                self.model
            ),
            wrote(&written),
        ));
    }

    /// Leaves calls out of an answer that may hold none, and says so.
    fn withheld(&mut self, calls: &[LeakedCall]) {
        let tools: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        self.pending.push_back(ChatChunk::Notice(notice(
            "models.call_withheld",
            format!(
                "{} answered with a call of {} when none may be made; nothing was run",
                self.model,
                tools.join(", ")
            ),
            "",
        )));
    }

    /// Leaves out what is nothing but calls and marks that belong to none of them, and says so, unless
    /// the model repeats what it was shown.
    pub(super) fn malformed(&mut self, calls: &[LeakedCall], written: String) {
        if let Some(tool) = self.quoted(calls) {
            self.sorted(leaked::Piece::Text(written));
            self.left(&tool);
            return;
        }
        let tools: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        self.round.failed_call = Some(notice(
            CALL_CUT_CODE,
            format!(
                "{} answered with a call of {} that is not well-formed; nothing was run",
                self.model,
                tools.join(", ")
            ),
            wrote(&written),
        ));
    }

    /// Says that the answer ended within a call.
    pub(super) fn broken(&mut self, tool: Option<&str>) {
        let call = tool.map(|tool| LeakedCall {
            name: tool.to_owned(),
            arguments: serde_json::json!({}),
        });
        // What it was shown broke off as well: that says nothing of its own form.
        let may_be_quoted = call.is_none_or(|call| self.quoted(&[call]).is_some());
        let tool = tool.map_or_else(|| "a tool".to_owned(), |tool| format!("`{tool}`"));
        let failed = notice(
            CALL_CUT_CODE,
            format!(
                "{} ended its answer in the middle of a call of {tool}; nothing was run",
                self.model
            ),
            "",
        );
        match may_be_quoted {
            true => self.pending.push_back(ChatChunk::Notice(failed)),
            false => self.round.failed_call = Some(failed),
        }
    }

    /// Whether a call in the form that was found for the model stands in what it was shown: there it is a
    /// quotation as in any text.
    pub(super) fn is_quoted_json(&self, name: &str, arguments: &Value) -> bool {
        let call = LeakedCall {
            name: name.to_owned(),
            arguments: arguments.clone(),
        };
        let is_found = self.instance.tool_calls == ToolCalls::Auto;
        is_found && self.call.form != Form::Native && self.quoted(&[call]).is_some()
    }

    /// Whether the model does not call tools in the form that its server gives them, so that it is asked
    /// again with tools as JSON. An answer that its limit cut says nothing of that.
    pub(super) fn should_ask_as_json(&self) -> bool {
        let is_cut = self.round.finished.is_some_and(FinishReason::is_cut);
        self.instance.tool_calls == ToolCalls::Auto
            && self.call.form == Form::Native
            && !self.call.tools.is_empty()
            && self.schema.is_none()
            && self.round.calls == 0
            && !is_cut
            && self.estimates.call_failed(
                &self.model.to_string(),
                self.instance.backend.counts_cached(),
            )
    }

    /// Asks again with tools as JSON. What was said so far is taken back.
    pub(super) async fn ask_as_json(&mut self) -> Result<(), Error> {
        spoken::rewrite(&mut self.call)?;
        if !self.round.text.is_empty() {
            self.pending
                .push_back(ChatChunk::TextReplaced(String::new()));
        }
        self.pending.push_back(ChatChunk::Notice(notice(
            "models.calls_as_json",
            format!(
                "{} answered again with a call that cannot be run: from now on it is offered tools as \
                 JSON, and the request is repeated",
                self.model
            ),
            "`tool_calls = \"native\"` or `\"json\"` for its provider settles it",
        )));
        self.round = Round::new(&self.call, self.instance.backend.as_ref());
        self.first_round = false;
        self.reopen().await
    }

    /// Says, once, that a call in the text was not taken for one.
    pub(super) fn left(&mut self, tool: &str) {
        if std::mem::replace(&mut self.left_calls, true) {
            return;
        }
        self.pending.push_back(ChatChunk::Notice(notice(
            "models.call_in_text",
            format!(
                "{} wrote a call of `{tool}` into its answer beside other text, or as it stands in \
                 what it was shown: a quotation, which was not run",
                self.model
            ),
            "if the model always writes its calls like that, set tool_calls = \"json\" for its \
             provider",
        )));
    }
}

/// What a message showed the model that it may quote. Where calls are agreed on as text, the
/// system's words describe every tool in the form of a call, and the model's own are its calls.
fn said<'a>(message: &'a Message, form: &Form) -> Option<&'a str> {
    match message {
        Message::System { text } | Message::Assistant { text, .. } => {
            (*form == Form::Native).then_some(text)
        }
        Message::User { text } | Message::Tool { text, .. } | Message::Picture { text, .. } => {
            Some(text)
        }
    }
}

/// What was left out, where the model meant it as its answer: nothing is lost.
fn wrote(written: &str) -> String {
    format!("It wrote: {}", visible_line(&excerpt(written)))
}

/// The beginning of what a model wrote.
fn excerpt(written: &str) -> String {
    match written.char_indices().nth(QUOTED_CHARS) {
        Some((end, _)) => format!("{} …", &written[..end]),
        None => written.to_owned(),
    }
}
