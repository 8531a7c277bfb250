//! Adaptive mode: how a request is worked on where the user left it open, as suits the model.

use crate::work::Work;
use crate::work::pipeline::elsewhere;
use domain::event::EventBody;
use domain::limits::PLAN_ACTIONS;
use domain::model::ModelClass;
use domain::settings::Mode;
use domain::tool::{EffectClass, UNDO};
use plan::{by_rules, endings, named, names, orders};
use turn::Outcome;

/// What is said where the rules did a request.
const BY_RULES: &str = "by rules, no model (mode loop asks one)";
/// What is said where a model plans because it is tiny.
const TINY: &str = "plan mode, since the model is tiny (mode loop: tools as it goes)";

/// What is said where the model that comes along is not asked for an answer to a greeting.
const GREETING: &str = "by rules, no model (a greeting needs none)";

/// Sets the mode of a request that left it open, and says so where it is not loop mode. A greeting is
/// answered by the rules in loop mode as well, where the model that comes along would be asked: it takes
/// the greeting for an order.
pub(crate) async fn choose(work: &mut Work) {
    let before = whole_request(work).or_else(|| going_on(work));
    let resolved = match before {
        None => match asked_elsewhere(work) {
            Some(asked) => with_names(work, &asked).await,
            None => with_names(work, &work.request.text).await,
        },
        resolved => resolved,
    };
    if let Some(resolved) = &resolved {
        work.request.text.clone_from(resolved);
    }
    let chosen = match work.request.mode {
        Mode::Adaptive if rules_do(work) => Some((Mode::Deterministic, BY_RULES)),
        Mode::Adaptive if works_by_plan(work.agent.facts.class) && !has_pictures(work) => {
            Some((Mode::Plan, TINY))
        }
        Mode::Adaptive => None,
        Mode::Loop if greets(work) => Some((Mode::Deterministic, GREETING)),
        _ => return,
    };
    let Some((mode, reason)) = chosen else {
        work.request.mode = Mode::Loop;
        return;
    };
    work.request.mode = mode;
    let reason = match resolved {
        Some(resolved) => format!("{reason}, as: {resolved}"),
        None => reason.to_owned(),
    };
    work.emit(EventBody::ModeChosen { mode, reason }, None)
        .await;
}

/// The request with the name for its `it` or `there` that the user's last request has, where the rules do it
/// then; with a folder for its `there` also for the model that plans.
fn going_on(work: &Work) -> Option<String> {
    let is_asked = match work.request.mode {
        Mode::Adaptive => asks_rules(work),
        Mode::Deterministic => true,
        _ => false,
    };
    let before = work.with_state(|state| by_rules::newest_of(state.conversation.words_before()));
    let before = before.filter(|_| is_asked && !has_data(work))?;
    let text = &work.request.text;
    // A tiny model that is told `there` makes a file anywhere, and reads any for `it`.
    let for_model = || by_rules::going_on_for_model(text, &before).filter(|_| !rules_do(work));
    by_rules::going_on(text, &before).or_else(for_model)
}

/// The question before of another file that the request names in part: `and in chapter 2?`.
fn asked_elsewhere(work: &Work) -> Option<String> {
    let before = work.with_state(|state| by_rules::newest_of(state.conversation.words_before()))?;
    by_rules::asked_elsewhere(&work.request.text, &before)
}

/// The order that takes back all that the last request changed, of one to take back what was done last.
fn whole_request(work: &Work) -> Option<String> {
    let text = work.request.text.trim();
    let is_asked = match work.request.mode {
        Mode::Adaptive => true,
        // So a surface asks for one change of several.
        Mode::Deterministic => text != UNDO,
        _ => false,
    };
    if !is_asked || has_data(work) || !by_rules::takes_back_last(text) {
        return None;
    }
    let effects = &work.services.effects;
    let is_change = |tool: &&String| {
        matches!(
            effects.get(*tool),
            Some(EffectClass::SharedWrite | EffectClass::Destructive | EffectClass::Exec)
        )
    };
    let tools = work.with_state(|state| state.conversation.changed_by_last().to_vec());
    let changes = tools.iter().filter(is_change).count();
    (2..=PLAN_ACTIONS)
        .contains(&changes)
        .then(|| by_rules::taking_back(changes))
}

/// The request with the paths of the files that it names without their endings, or in words (`chapter 2`), where
/// the rules do it then, or a question is of those files. They are looked up without a call: what is told is
/// what the user typed and where it stands.
async fn with_names(work: &Work, text: &str) -> Option<String> {
    let is_asked = match work.request.mode {
        Mode::Adaptive => asks_rules(work),
        Mode::Deterministic => true,
        _ => false,
    };
    if !is_asked || has_data(work) || by_rules::understands(text) {
        return None;
    }
    let listing = elsewhere::all_files(work).await;
    let ways = [
        endings::written_out,
        endings::led_by,
        endings::amid,
        endings::counted_out,
    ];
    let ways = ways.map(|way| way(&listing, text));
    let mut whole = ways.into_iter().flatten();
    let is_theirs = |whole: &String| by_rules::understands(whole) || by_rules::tells(whole);
    if let Some(whole) = whole.clone().find(is_theirs) {
        return Some(whole);
    }
    // What is refused is refused of the file that is here, and not of a name that no file has.
    let is_refused = |whole: &String| orders::acts(text) && by_rules::refuses(whole).is_some();
    if let Some(whole) = whole.find(is_refused) {
        return Some(whole);
    }
    if !named::files_of(text).is_empty() {
        return None;
    }
    names::spelled(&listing, text).filter(|spelled| by_rules::only_looks(spelled))
}

/// Says that the rules need no model, of a request that they do and that no model could work on.
pub(crate) fn tell_of_rules(work: &Work, outcome: &mut Outcome) {
    const NO_MODEL: &str = "models.not_configured";
    const RULES: &str = "Without a model, deterministic mode does this (`--mode deterministic`; in a chat, \
                         `/mode deterministic`).";
    let text = &work.request.text;
    let fault = outcome
        .error
        .as_mut()
        .filter(|fault| fault.code == NO_MODEL);
    if let Some(fault) = fault.filter(|_| by_rules::understands(text) && !has_data(work)) {
        fault.hint = match fault.hint.trim() {
            "" => RULES.to_owned(),
            hint => format!("{}. {RULES}", hint.trim_end_matches('.')),
        };
    }
}

fn greets(work: &Work) -> bool {
    work.agent.facts.is_stand_in && by_rules::greets(&work.request.text) && !has_data(work)
}

/// Whether a model of this class makes a plan where nobody chose otherwise.
pub(crate) fn works_by_plan(class: Option<ModelClass>) -> bool {
    class == Some(ModelClass::Tiny)
}

/// Whether the rules are asked first, as they are for a tiny model, and understand the whole request, or
/// refuse an order that such a model may only get wrong. They read no data.
fn rules_do(work: &Work) -> bool {
    let text = &work.request.text;
    let is_theirs =
        || by_rules::understands(text) || (is_small(work) && by_rules::refuses(text).is_some());
    asks_rules(work) && !has_data(work) && is_theirs()
}

/// Whether the rules are asked before a model.
fn asks_rules(work: &Work) -> bool {
    is_small(work) || work.services.rules_first
}

fn is_small(work: &Work) -> bool {
    let facts = &work.agent.facts;
    facts.is_stand_in || works_by_plan(facts.class)
}

fn has_data(work: &Work) -> bool {
    has_pictures(work) || work.with_state(|state| state.conversation.is_given_input())
}

/// A plan is made without pictures.
fn has_pictures(work: &Work) -> bool {
    work.with_state(|state| state.conversation.is_given_pictures())
}
