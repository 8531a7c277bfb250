//! Adaptive mode: how a request is worked on where the user left it open, as suits the model.

use crate::work::Work;
use domain::event::EventBody;
use domain::model::ModelClass;
use domain::settings::Mode;
use plan::by_rules;

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
    let reason = reason.to_owned();
    work.emit(EventBody::ModeChosen { mode, reason }, None)
        .await;
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
    let facts = &work.agent.facts;
    let is_small = facts.is_stand_in || works_by_plan(facts.class);
    let text = &work.request.text;
    let is_theirs =
        || by_rules::understands(text) || (is_small && by_rules::refuses(text).is_some());
    (is_small || work.services.rules_first) && !has_data(work) && is_theirs()
}

fn has_data(work: &Work) -> bool {
    has_pictures(work) || work.with_state(|state| state.conversation.is_given_input())
}

/// A plan is made without pictures.
fn has_pictures(work: &Work) -> bool {
    work.with_state(|state| state.conversation.is_given_pictures())
}
