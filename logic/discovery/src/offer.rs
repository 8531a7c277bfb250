//! What is offered: everything where it fits the bound, else the tools that fit the task best.

use crate::lean::lean;
use crate::rank::Index;
use crate::words::is_question;
use domain::model::ModelClass;
use domain::tool::{FIND_TOOLS, ToolDefinition};

/// Most tokens that the definitions in a prompt may take, however large the model's context is: an
/// agent's built-in tools, with all that the user may open to it, and what it finds among others. More
/// makes small models choose worse.
pub const OFFER_TOKENS: u64 = 4_000;
/// Most tools that are found for a task, beside those that are always there.
pub const MOST_FOUND: usize = 6;
/// Fewest that are looked for, however little room there is.
const FEWEST_FOUND: usize = 2;
/// Room for each of them, tokens: nearly twice what one takes, so that something that is found for the
/// next tasks fits beside it.
const ROOM_FOR_EACH: u64 = 150;
/// Most tokens of definitions for a model of under a billion parameters, and of one to four billion: they
/// choose worse among many tools, and read a prompt at 30 to 150 tokens a second. The first request of the
/// coder then has at most 900 and 1,500 tokens.
const TINY_TOKENS: u64 = 380;
const SMALL_TOKENS: u64 = 850;
/// Tools that most work on files needs, for an order and for a question.
const FOR_ORDERS: [&str; 6] = [
    "edit_file",
    "read_file",
    "write_file",
    "run_command",
    "list_files",
    "grep",
];
const FOR_QUESTIONS: [&str; 3] = ["grep", "read_file", "list_files"];
/// Among more tools than these the words of a task say which are meant; among fewer, most of them the
/// agent's own over files and programs, they say little.
const CROWD: usize = 40;
/// Characters of a definition to a token: a rule of thumb for English and JSON.
const CHARACTERS_PER_TOKEN: u64 = 4;

/// When a tool is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Whatever the task: one of the few that every agent has at hand.
    Always,
    /// Whenever others are left out: it finds them.
    Finder,
    /// When it fits the task.
    Ranked,
    /// After the agent's own, since the user opened it for this session: a grant, an override.
    Opened,
}

/// A tool an agent may use.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// What a model is shown.
    pub definition: ToolDefinition,
    /// When it is.
    pub presence: Presence,
}

/// The capability whose tools every agent has at hand, whatever the task.
const AT_HAND: &str = "self";

/// Whose a tool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    /// The agent's, by its type.
    Own,
    /// Opened to it by the user, for this session.
    Opened,
}

impl Offer {
    /// A tool of this capability, with its schema as models are shown it.
    #[must_use]
    pub fn of(mut definition: ToolDefinition, capability: &str, holding: Holding) -> Self {
        definition.parameters = lean(&definition.parameters);
        let presence = match definition.name.as_str() {
            FIND_TOOLS => Presence::Finder,
            _ if holding == Holding::Opened => Presence::Opened,
            _ if capability == AT_HAND => Presence::Always,
            _ => Presence::Ranked,
        };
        Self {
            definition,
            presence,
        }
    }
}

/// The most tokens that definitions may take for a model of this class, whatever its context has room for.
#[must_use]
pub const fn room_for(class: Option<ModelClass>) -> u64 {
    match class {
        Some(ModelClass::Tiny) => TINY_TOKENS,
        Some(ModelClass::Small) => SMALL_TOKENS,
        Some(ModelClass::Medium | ModelClass::Large) | None => OFFER_TOKENS,
    }
}

/// What a definition takes in a prompt, with its schema as models are shown it, estimated.
#[must_use]
pub fn tokens(tool: &ToolDefinition) -> u64 {
    let characters = tool.name.as_str().chars().count()
        + tool.description.chars().count()
        + lean(&tool.parameters).to_string().chars().count();
    (characters as u64).div_ceil(CHARACTERS_PER_TOKEN)
}

/// The tools to offer for a task, in the order they were given, so that the same tools make the
/// same prompt. All of them if they fit `room_tokens` (and [`OFFER_TOKENS`]), without those that
/// find others; else the ones that are always there, and
///
/// - where all of the agent's own fit, these, and of what the user opened the best as far as there is
///   room: who gets more rights loses no tool by it;
/// - else up to [`MOST_FOUND`], fewer in a small room: those that most work needs and those that are
///   ranked, the best first as far as it allows; among many tools the ranked ones come first. A
///   definition that does not fit is passed over, and so is a tool that has nothing to do with the
///   task where another has.
#[must_use]
pub fn offer(tools: Vec<Offer>, task: &str, room_tokens: u64) -> Vec<ToolDefinition> {
    let has_usual_first = tools.len() <= CROWD;
    choose(tools, task, room_tokens, has_usual_first)
}

/// The tools that come nearest to what an agent looks for beside those that it has, as [`offer`] has them
/// but for what most work needs: the ranked ones come first, however few there are.
#[must_use]
pub fn search(tools: Vec<Offer>, task: &str, room_tokens: u64) -> Vec<ToolDefinition> {
    choose(tools, task, room_tokens, false)
}

fn choose(
    tools: Vec<Offer>,
    task: &str,
    room_tokens: u64,
    has_usual_first: bool,
) -> Vec<ToolDefinition> {
    let room = room_tokens.min(OFFER_TOKENS);
    let mut room_left = Room::of(&tools, room);
    let all = (0..tools.len()).filter(|index| tools[*index].presence != Presence::Finder);
    if !room_left.keep_all(all) {
        let of = |presence| move |tool: &Offer| tool.presence == presence;
        let keep_all_of = |room_left: &mut Room, presence| {
            for index in (0..tools.len()).filter(|index| tools[*index].presence == presence) {
                room_left.keep(index);
            }
        };
        keep_all_of(&mut room_left, Presence::Finder);
        // In the least room what does the work comes before what an agent has at hand.
        let is_least = room <= TINY_TOKENS;
        if !is_least {
            keep_all_of(&mut room_left, Presence::Always);
        }
        let own = (0..tools.len()).filter(|index| tools[*index].presence == Presence::Ranked);
        if tools.iter().any(of(Presence::Opened)) && room_left.keep_all(own) {
            for (index, _) in by_score(&tools, task, of(Presence::Opened)) {
                room_left.keep(index);
            }
        } else {
            let is_ranked =
                |tool: &Offer| matches!(tool.presence, Presence::Ranked | Presence::Opened);
            let mut ranked = by_score(&tools, task, is_ranked);
            if ranked.iter().any(|(_, score)| *score > 0.0) {
                ranked.retain(|(_, score)| *score > 0.0);
            }
            let most = usize::try_from(room / ROOM_FOR_EACH).unwrap_or(MOST_FOUND);
            let most = most.clamp(FEWEST_FOUND, MOST_FOUND);
            let ranked = ranked.into_iter().map(|(index, _)| index);
            let usual = usual(&tools, task, is_ranked).into_iter();
            let wanted: Vec<usize> = match has_usual_first {
                true => usual.chain(ranked).collect(),
                false => ranked.chain(usual).collect(),
            };
            let found = wanted.into_iter().filter(|index| room_left.keep(*index));
            let _ = found.take(most).count();
        }
        if is_least {
            keep_all_of(&mut room_left, Presence::Always);
        }
    }
    let kept = tools.into_iter().zip(room_left.is_kept);
    kept.filter(|(_, kept)| *kept)
        .map(|(tool, _)| tool.definition)
        .collect()
}

/// What definitions take, and which of them are kept.
struct Room {
    sizes: Vec<u64>,
    is_kept: Vec<bool>,
    left: u64,
}

impl Room {
    fn of(tools: &[Offer], left: u64) -> Self {
        Self {
            sizes: tools.iter().map(|tool| tokens(&tool.definition)).collect(),
            is_kept: vec![false; tools.len()],
            left,
        }
    }

    /// Keeps a definition that fits; whether it does.
    fn keep(&mut self, index: usize) -> bool {
        let fits = !self.is_kept[index] && self.sizes[index] <= self.left;
        if fits {
            self.left -= self.sizes[index];
            self.is_kept[index] = true;
        }
        fits
    }

    /// Keeps all of these, or none.
    fn keep_all(&mut self, indices: impl Iterator<Item = usize> + Clone) -> bool {
        let fits = indices.clone().map(|index| self.sizes[index]).sum::<u64>() <= self.left;
        if fits {
            indices.for_each(|index| {
                self.keep(index);
            });
        }
        fits
    }
}

/// The tools that most work needs, those that the task names first.
fn usual(tools: &[Offer], task: &str, is_meant: impl Fn(&Offer) -> bool) -> Vec<usize> {
    let names: &[&str] = match is_question(task) {
        true => &FOR_QUESTIONS,
        false => &FOR_ORDERS,
    };
    let place = |tool: &Offer| {
        let name = tool.definition.name.as_str();
        names.iter().position(|usual| *usual == name)
    };
    let mut scored = by_score(tools, task, |tool| is_meant(tool) && place(tool).is_some());
    scored.sort_by(|(one, a), (other, b)| {
        let places = (place(&tools[*one]), place(&tools[*other]));
        b.total_cmp(a).then(places.0.cmp(&places.1))
    });
    scored.into_iter().map(|(index, _)| index).collect()
}

/// Tools with their scores for a task, the best first; equal ones as they were given.
fn by_score(tools: &[Offer], task: &str, is_meant: impl Fn(&Offer) -> bool) -> Vec<(usize, f64)> {
    let index = Index::new(tools.iter().map(|tool| &tool.definition));
    let scores = index.scores(task).into_iter().enumerate();
    let mut scored: Vec<(usize, f64)> = scores.filter(|(i, _)| is_meant(&tools[*i])).collect();
    scored.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    scored
}
