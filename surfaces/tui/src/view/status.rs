//! The status line: facts of the session view, the most important first; what does not fit is left out
//! from the right.

use crate::lines::{cut, faint, safe, strong};
use crate::state::{Override, State};
use crate::vi;
use domain::model::Think;
use domain::settings::{Mode, OverrideLevel, SessionProfile};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use rendering::costs;
use rendering::values::{grouped, model_in_words};
use text::escape::visible_line;
use unicode_width::UnicodeWidthStr;

/// What stands between two facts.
const BETWEEN: &str = " · ";

/// The line for a width.
pub(super) fn line(state: &State, width: usize) -> Line<'static> {
    if state.leaving.is_some() {
        let text = "Ctrl+C again leaves; what was said is kept";
        return Line::styled(cut(text, width), warning());
    }
    if state.stepping.is_some() {
        let text = "Esc again: earlier messages, to go back to one";
        return Line::styled(cut(text, width), warning());
    }
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut used = 0;
    for (text, style) in facts(state) {
        // A model is called what its server says.
        let text = safe(&text);
        let between = if spans.is_empty() { "" } else { BETWEEN };
        let size = between.width() + text.width();
        if used + size > width {
            if spans.is_empty() {
                spans.push(Span::styled(cut(&text, width), style));
            }
            break;
        }
        used += size;
        spans.push(Span::styled(between, faint()));
        spans.push(Span::styled(text, style));
    }
    Line::from(spans)
}

fn warning() -> Style {
    Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD)
}

fn facts(state: &State) -> Vec<(String, Style)> {
    let profile = state.view.profile().unwrap_or(&state.profile);
    let mut facts = vec![
        (profile.agent_type.to_string(), faint()),
        (mode(state), faint()),
    ];
    match state.input.mode() {
        None => {}
        Some(vi::Mode::Insert) => facts.insert(0, ("insert".to_owned(), faint())),
        Some(vi::Mode::Normal) => facts.insert(0, ("NORMAL".to_owned(), strong())),
    }
    facts.extend(overrides(state, profile));
    if state.is_gone {
        facts.push(("! the server is gone".to_owned(), warning()));
    }
    match state.view.questions().len() {
        0 => {}
        1 => facts.push(("1 question waits".to_owned(), warning())),
        count => facts.push((format!("{count} questions wait"), warning())),
    }
    facts.push((at_work(state), faint()));
    match state.agents_at_work() {
        0 => {}
        1 => facts.push(("1 agent below".to_owned(), faint())),
        count => facts.push((format!("{count} agents below"), faint())),
    }
    match state.view.background().jobs().len() {
        0 => {}
        1 => facts.push(("1 job".to_owned(), faint())),
        count => facts.push((format!("{count} jobs"), faint())),
    }
    if state.facts.is_air_gapped {
        facts.push(("air gap".to_owned(), faint()));
    }
    if profile.think != Think::Default {
        facts.push((format!("thinking {}", profile.think.as_str()), faint()));
    }
    let (model, is_last) = model(state);
    let cost = state.view.work().last();
    let cost = cost.as_ref();
    let speed = cost.and_then(costs::tokens_a_second);
    // Why a model was chosen is a sentence, and the first that gives way.
    let why = visible_line(state.view.work().reason());
    let why = (is_last && !why.is_empty()).then_some(why);
    let known = [
        model,
        tokens(state),
        cost.and_then(costs::reuse),
        speed.map(|speed| format!("{speed} tokens/s")),
        costs::told(state.view.costs(), &state.facts.prices),
        why,
    ];
    facts.extend(known.into_iter().flatten().map(|text| (text, faint())));
    facts
}

/// The model, and whether it is the one that was asked last.
fn model(state: &State) -> (Option<String>, bool) {
    // Between requests, the one that will be asked, where the user chose it.
    let is_idle = state.view.open_requests().next().is_none();
    let chosen = state.profile.model.as_ref().map(model_in_words);
    let last = state.view.work().model();
    let last = last.map(|model| visible_line(&model.to_string()));
    let is_last = !is_idle || chosen.is_none();
    // Before the first answer, the one that would be asked.
    let next = state.next_model.as_ref();
    let next = next.filter(|_| state.profile.mode != Mode::Deterministic);
    let next = next.map(|model| visible_line(&model.to_string()));
    let model = match is_idle {
        true => chosen.or(last),
        false => last.or(chosen),
    };
    (model.or(next), is_last)
}

/// What is said of an override that is in force, and of one that the next message goes by.
fn overrides(state: &State, profile: &SessionProfile) -> Vec<(String, Style)> {
    let in_force = match profile.settings.override_level {
        OverrideLevel::None => None,
        OverrideLevel::Relax => Some("! override relax"),
        OverrideLevel::All => Some("! override all"),
    };
    let next = match state.once {
        Override::Next(OverrideLevel::None) => Some("next: no override"),
        Override::Next(OverrideLevel::Relax) => Some("! next: override relax"),
        Override::Next(OverrideLevel::All) => Some("! next: override all"),
        Override::None | Override::InForce => None,
    };
    let said = [in_force, next].into_iter().flatten();
    said.map(|text| (text.to_owned(), warning())).collect()
}

/// The mode, and where the drive of one that goes on by itself stands.
fn mode(state: &State) -> String {
    let mode = state.profile.mode;
    match state.view.drive().state().filter(|_| mode == Mode::Auto) {
        Some(drive) => format!("{} ({})", mode.as_str(), drive.as_str()),
        None => mode.as_str().to_owned(),
    }
}

fn at_work(state: &State) -> String {
    let calls = state.view.work().running().count();
    match (state.view.open_requests().count(), calls) {
        (0, _) => "idle".to_owned(),
        (_, 0) => "working".to_owned(),
        (_, 1) => "1 tool runs".to_owned(),
        (_, count) => format!("{count} tools run"),
    }
}

/// How full the context is.
fn tokens(state: &State) -> Option<String> {
    let last = state.view.work().last()?;
    let used = last.prompt_tokens.saturating_add(last.completion_tokens);
    if used == 0 {
        return None;
    }
    let most = state.view.work().context_tokens().map(u64::from);
    let share = most.map(|most| used.saturating_mul(100) / most);
    Some(match share {
        Some(share) => format!("{} tokens ({share}%)", grouped(used)),
        None => format!("{} tokens", grouped(used)),
    })
}
