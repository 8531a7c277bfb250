//! The rules: who chose the target (T), who chose the action (C), the user's own store (S); and
//! with `disclosure` who may learn the payload (P, E) and what it leads to (U).

use crate::flow::entities::{has_no_lead, is_whole_lead};
use crate::flow::keys::words;
use crate::flow::knobs::chosen_knobs;
use crate::flow::knowledge::{Flow, Pinned};
use crate::flow::naming::NamedBy;
use crate::flow::parts::{Asked, Part, payload, targets};
use crate::flow::provenance::Found;
use crate::request::Asking;
use domain::decision::{Finding, Layer, Verdict};
use domain::hash::Digest;
use domain::label::{Integrity, Label};
use domain::tool::{ArgumentRole, Audience, EffectClass, TargetKind, ToolSpec};
use serde_json::Value;

/// Words that the name of a tool has that only reads a page, and no others.
const READING: [&str; 11] = [
    "get", "fetch", "read", "open", "browse", "visit", "view", "load", "download", "show", "look",
];
/// What such a tool reads.
const PAGES: [&str; 14] = [
    "page", "pages", "webpage", "web", "url", "uri", "link", "site", "website", "html", "content",
    "contents", "document", "the",
];
/// Shortest words of the user that tie a call to what was asked for, characters.
const ANCHOR_CHARS: usize = 4;

/// Holds a call against every rule. `choice_key`: see [`crate::Bound::choice_key`].
pub(crate) fn judge(arguments: &Value, flow: &Flow<'_>, choice_key: &Digest) -> Judged {
    let mut call = Call {
        spec: &flow.tool.spec,
        pinned: flow.pinned,
        flow,
        choice_key,
        targets: targets(flow, arguments),
        payload: payload(flow, arguments),
        knobs: chosen_knobs(flow, arguments),
    };
    let is_as_requested = call.is_as_requested();
    if is_as_requested {
        call.pinned = Pinned::Choice;
    }
    let choice = call.choice();
    let is_choice = choice.is_some();
    let violations = [
        call.secret(),
        call.target(),
        call.picked(),
        choice,
        call.anchor(),
        call.audience(),
        call.inquiries(),
        call.leads(),
    ];
    let mut strictest: Option<Finding> = None;
    for violation in violations.into_iter().flatten() {
        match &mut strictest {
            None => strictest = Some(violation),
            Some(known) => {
                if violation.verdict > known.verdict {
                    let weaker = std::mem::replace(known, violation);
                    known.user_reason = format!("{} {}", known.user_reason, weaker.user_reason);
                } else {
                    known.user_reason = format!("{} {}", known.user_reason, violation.user_reason);
                }
            }
        }
    }
    let finding = strictest.unwrap_or_else(|| Finding {
        layer: Layer::InformationFlow,
        verdict: Verdict::Allow,
        rule: "no_violation".to_owned(),
        model_reason: String::new(),
        user_reason: "Nothing untrusted chose it, and it tells no one what is not theirs."
            .to_owned(),
    });
    Judged {
        finding,
        is_choice,
        is_as_requested,
        is_private_inquiry: call.is_private_inquiry(),
    }
}

/// What the rules say to a call.
pub(crate) struct Judged {
    /// The strictest violation, or that there is none.
    pub(crate) finding: Finding,
    /// Whether the rule about choices is among the violated ones.
    pub(crate) is_choice: bool,
    /// Whether the call does what the user's words ask for, where the user said.
    pub(crate) is_as_requested: bool,
    /// Whether it asks others something after what is not theirs was read.
    pub(crate) is_private_inquiry: bool,
}

pub(super) struct Call<'a> {
    pub(super) spec: &'a ToolSpec,
    pub(super) flow: &'a Flow<'a>,
    /// What of it was fixed beforehand: by the user's yes, by a plan, or by the request itself.
    pub(super) pinned: Pinned,
    choice_key: &'a Digest,
    pub(super) targets: Vec<Part<'a>>,
    pub(super) payload: Vec<Part<'a>>,
    /// What the agent set of the call's knobs, see [`chosen_knobs`].
    knobs: Vec<Option<String>>,
}

/// What to do where nobody is asked.
const NAME_IT: &str = " Nothing in your message speaks of it, so you are not asked: name it there if \
                       you want this.";

impl Call<'_> {
    /// Whether it changes anything beyond the agent's own notes.
    pub(super) fn has_effect(&self) -> bool {
        !matches!(self.spec.effect, EffectClass::Read | EffectClass::SelfWrite)
    }

    /// Whether a mistake cannot be taken back.
    fn is_grave(&self) -> bool {
        use EffectClass::{Config, Destructive, Exec, Money};
        matches!(self.spec.effect, Destructive | Exec | Config | Money)
    }

    /// Whether the call only asks others something, and the user's words ask for it: a page, where the
    /// user said or pointed at, or a search for what the user said. No effect is freed by them: whoever
    /// has the agent chooses among the user's words.
    fn is_as_requested(&self) -> bool {
        let known = self.flow.known;
        let only_asks = self.is_fetch() || self.is_query();
        let is_asked = || {
            let name = &self.spec.definition.name;
            known.requested.asks_for(name) || self.fetches_named_page()
        };
        self.flow.pinned == Pinned::Nothing
            && only_asks
            && !known.is_recovered
            && is_asked()
            && self.are_knobs_given()
            && self.asks_what_was_said()
    }

    /// Whether a call that only asks others something asks what the user said, where the user said.
    fn asks_what_was_said(&self) -> bool {
        // Nothing at all is no text of the user's: it would empty what it replaces.
        let says_something = self.payload.iter().any(|part| !part.text.trim().is_empty());
        let is_said = |part: &Part<'_>| part.traced.found == Found::Said;
        let is_said_whole = says_something && self.payload.iter().all(is_said);
        let is_where_said = || self.asking().iter().any(|asking| self.lands_as(asking));
        self.fetches_named_page()
            || match self.targets.is_empty() {
                true => is_said_whole,
                false => is_where_said(),
            }
    }

    /// Whether the agent chose no knob: each is left out, the schema's own, too narrow to tell
    /// anything, or said by an order. What a switch is called says too little of what it opens.
    fn are_knobs_given(&self) -> bool {
        let is_said = |text: &String| self.asking().iter().any(|asking| asking.names(text));
        self.knobs
            .iter()
            .all(|knob| knob.as_ref().is_some_and(is_said))
    }

    /// The orders of the user's newest words that ask for the tool; for a step of a plan those of
    /// its deed.
    pub(super) fn asking(&self) -> &[Asking] {
        let requested = self.flow.known.requested;
        match self.flow.pinned {
            Pinned::Nothing => requested.asking(&self.spec.definition.name),
            Pinned::Draft | Pinned::Choice | Pinned::Call => {
                requested.deeds(&self.spec.definition.name)
            }
        }
    }

    /// Whether one order names everything that the call lands on. Of several orders none may be
    /// mixed with another.
    fn lands_as(&self, asking: &Asking) -> bool {
        self.targets.iter().all(|target| match target.traced.found {
            Found::Said => asking.names(&target.text),
            Found::Stored | Found::Referenced | Found::Nowhere => {
                self.is_designated_by(target, asking)
            }
        })
    }

    /// Whether the user fixed what a part of the call lands on: said it, or designated it by an
    /// order that asks for the tool.
    fn is_designated(&self, part: &Part<'_>) -> bool {
        let mut asking = self.asking().iter();
        part.traced.found == Found::Said
            || self.is_pointed_at(part)
            || asking.any(|asking| self.is_designated_by(part, asking))
    }

    /// Whether an order designates what a part of the call lands on: by the title of the thing, as a
    /// field of a titled thing, or in one of the ways that need no order.
    fn is_designated_by(&self, part: &Part<'_>, asking: &Asking) -> bool {
        let provenance = self.flow.known.provenance;
        let describes = |title: &str| asking.describes_thing(title);
        let names = |title: &str| match self.leaves() {
            true => asking.names_thing(title),
            false => describes(title),
        };
        // Whoever is told, let in or paid may have chosen what to be called.
        let is_titled = || {
            provenance.is_titled(&part.text, names)
                && (!matches!(self.spec.effect, EffectClass::Egress | EffectClass::Money)
                    || !self.leaves()
                    || !provenance.titles_set_for(&part.text).is_empty())
        };
        self.is_pointed_at(part)
            || is_titled()
            || provenance.is_field_of_quoted(&part.text, describes)
    }

    /// Whether the user opened the place, or pointed at the record that says it. Where a page is
    /// only fetched, one name points at a record; where something could be lost, spent or started,
    /// none does.
    fn is_pointed_at(&self, part: &Part<'_>) -> bool {
        let provenance = self.flow.known.provenance;
        self.is_opened(part)
            || self.is_fetch() && provenance.is_address_in_named_record(&part.text)
            || self.spec.effect == EffectClass::SharedWrite
                && self.payload.is_empty()
                && has_no_lead(&part.text)
                && provenance.is_in_named_record(&part.text, NamedBy::All)
    }

    /// Whether a part of the call is a thing that a platform names, and an order names another one of
    /// its kind.
    fn is_not_the_named(&self, part: &Part<'_>) -> bool {
        let provenance = self.flow.known.provenance;
        let names = |title: &str| {
            let mut asking = self.asking().iter();
            asking.any(|asking| asking.describes_thing(title))
        };
        part.traced.label.integrity == Integrity::Endorsed
            && provenance.is_another_named(&part.text, names)
    }

    /// Whether the call only fetches a page: it goes to one URL and says nothing else.
    pub(super) fn is_fetch(&self) -> bool {
        let is_url = |target: &&Part<'_>| {
            let argument = self.spec.arguments.get(target.argument);
            let kind = argument.and_then(|argument| argument.target);
            kind == Some(TargetKind::Url) && !target.text.contains('@')
        };
        let addresses = self
            .targets
            .iter()
            .filter(is_url)
            .filter(|target| is_whole_lead(&target.text));
        self.spec.effect == EffectClass::Egress
            && self.is_named_for(&READING)
            && self.is_named_only_for(&[&READING, &PAGES])
            && self.payload.is_empty()
            && self.targets.len() == 1
            && addresses.count() == 1
    }

    /// Whether the tool's name says that it does one of these and nothing more.
    pub(super) fn is_named_for(&self, deeds: &[&str]) -> bool {
        let name = words(self.spec.definition.name.as_str());
        name.iter().any(|word| deeds.contains(&word.as_str()))
    }

    fn is_named_only_for(&self, lists: &[&[&str]]) -> bool {
        let name = words(self.spec.definition.name.as_str());
        let is_listed = |word: &String| lists.iter().any(|list| list.contains(&word.as_str()));
        name.iter().all(is_listed)
    }

    /// Whether the call only fetches a page whose address the user gave.
    fn fetches_named_page(&self) -> bool {
        let requested = self.flow.known.requested;
        self.is_fetch()
            && self.targets.iter().all(|target| {
                target.traced.found == Found::Said && requested.names_page(&target.text)
            })
    }

    pub(super) fn is_selector(&self, part: &Part<'_>) -> bool {
        let argument = self.spec.arguments.get(part.argument);
        argument.is_some_and(|argument| argument.role == ArgumentRole::Selector)
    }

    fn is_opened(&self, part: &Part<'_>) -> bool {
        self.flow.opened.contains(part.argument)
    }

    /// S: files in a folder that the user opened are the user's own store. What is written there
    /// may be untrusted, may be taken back, and is untrusted when it is read again. A call that
    /// takes no arguments, such as taking the last change back, leaves an outsider nothing to fill
    /// in.
    fn stays_in_own_store(&self) -> bool {
        let are_opened = !self.targets.is_empty() && self.targets.iter().all(|t| self.is_opened(t));
        self.spec.effect == EffectClass::SharedWrite
            && self.spec.audience == Audience::User
            && (are_opened || self.spec.arguments.is_empty())
    }

    /// T: outsiders do not choose where an effect goes.
    fn target(&self) -> Option<Finding> {
        if !self.has_effect() || self.pinned == Pinned::Call {
            return None;
        }
        let chosen = self
            .targets
            .iter()
            .find(|t| t.traced.label.integrity == Integrity::Untrusted && !self.is_designated(t))?;
        // Nobody is asked about what nobody asked for.
        let requested = self.flow.known.requested;
        let is_expected = requested.may_lead_to(&self.spec.definition.name);
        let verdict = if self.is_grave() && self.pinned == Pinned::Nothing && !is_expected {
            Verdict::Deny
        } else {
            Verdict::Confirm
        };
        Some(finding(
            verdict,
            "untrusted_target",
            "What it acts on does not come from the user. Ask the user to name it.",
            format!(
                "You did not write `{}` ({}): {}.{}",
                chosen.argument,
                shown(&chosen.text),
                source(chosen),
                match verdict {
                    Verdict::Deny => NAME_IT,
                    _ => "",
                }
            ),
        ))
    }

    /// T, where a plan names the tool alone: what the call lands on has to be something that somebody
    /// meant, whatever was read. It is no other thing than the one that the request names, whoever is
    /// told or let in stands somewhere, and nothing is left out that says what it is about.
    fn picked(&self) -> Option<Finding> {
        if !self.has_effect() || self.pinned != Pinned::Choice {
            return None;
        }
        if let Some(argument) = self.left_out() {
            return Some(finding(
                Verdict::Confirm,
                "unnamed_target",
                "It does not say what it acts on. Name it in the call.",
                format!("`{argument}` is left out or empty, which may stand for everything."),
            ));
        }
        let is_made_up = |target: &Part<'_>| {
            target.traced.found == Found::Nowhere
                && (self.leaves() || target.asked == Asked::Access)
                && !self.is_opened(target)
        };
        let is_suspect = |target: &&Part<'_>| {
            self.is_not_the_named(target) || is_made_up(target) || self.is_held_back(target)
        };
        let picked = self.targets.iter().find(is_suspect)?;
        Some(finding(
            Verdict::Confirm,
            "picked_target",
            "The user may not have meant what it acts on. Ask the user to name it.",
            format!(
                "`{}` ({}) may not be what you meant: the agent picked it.",
                picked.argument,
                shown(&picked.text),
            ),
        ))
    }

    /// Whether the user spoke of who is told or let in, but only to forbid or to ask about them.
    fn is_held_back(&self, target: &Part<'_>) -> bool {
        let is_party = self.parties().any(|party| party.text == target.text);
        // A page is no party, and what is grave is asked about whoever it is.
        let is_told = (is_party || target.asked == Asked::Access) && !self.is_fetch();
        is_told
            && !self.is_grave()
            && target.traced.found == Found::Said
            && self.flow.known.requested.only_forbids(&target.text)
    }

    /// C: outsiders do not choose that something is done.
    fn choice(&self) -> Option<Finding> {
        if self.flow.known.is_recovered && self.has_effect() && self.pinned != Pinned::Call {
            return Some(finding(
                Verdict::Confirm,
                "recovered_call",
                "The user is asked first, because the call stood in the text of your answer. Make \
                 calls the way tools are called.",
                "The model wrote this call into the text of its answer: it may be a quotation of \
                 something it read, and no call of its own."
                    .to_owned(),
            ));
        }
        let is_free = !self.has_effect()
            || self.pinned == Pinned::Call
            // A plan of tool names covers nothing that could be lost, spent or started.
            || self.pinned == Pinned::Choice && !self.is_grave()
            || self.flow.known.context.integrity != Integrity::Untrusted
            || self.stays_in_own_store();
        if is_free {
            return None;
        }
        let from = suspects(self.flow.known.context);
        let is_refused = self.flow.known.refused_choices.contains(self.choice_key);
        if is_refused && self.pinned == Pinned::Nothing {
            return Some(finding(
                Verdict::Deny,
                "repeated_untrusted_choice",
                "This was not allowed in this turn already. Do not try it again; finish and report \
                 `partial` or `failed`.",
                format!(
                    "The agent read {from}, and you did not allow it to do this after that: it may \
                     not try again in this turn."
                ),
            ));
        }
        Some(finding(
            Verdict::Confirm,
            "untrusted_choice",
            "The user is asked first, because you have read content from outside.",
            match self.flow.known.is_typed {
                true => format!("You typed this; the session had read {from} before."),
                false => format!(
                    "The agent chose this after reading {from}; what it read may have asked for it."
                ),
            },
        ))
    }

    /// T, where a plan names the tool alone and the call names no target: something in it has to be
    /// the user's own words, or a form of the user's with its blanks filled in, or the outsider
    /// fills in the whole step. One part is enough: under a title that the user gave, most plans put
    /// what the agent read, and whom that tells is judged for itself.
    fn anchor(&self) -> Option<Finding> {
        let is_asked = self.pinned == Pinned::Choice
            && self.has_effect()
            && self.targets.is_empty()
            && self.flow.known.context.integrity == Integrity::Untrusted;
        let is_anchor = |part: &Part<'_>| {
            let is_named = part.text.chars().count() >= ANCHOR_CHARS
                && (part.traced.label.integrity != Integrity::Untrusted
                    || self.flow.known.provenance.is_said(&part.text));
            is_named || self.flow.known.provenance.is_filled_form(&part.text)
        };
        if !is_asked || self.payload.is_empty() || self.payload.iter().any(is_anchor) {
            return None;
        }
        Some(finding(
            Verdict::Confirm,
            "unanchored_step",
            "Nothing in it comes from the user. Ask the user what it should be about.",
            "The plan names the tool, and nothing in the call comes from you: others may have \
             filled it in."
                .to_owned(),
        ))
    }
}

/// From where what an agent has read may ask for something: what the user trusts is no suspect.
fn suspects(context: &Label) -> String {
    read_origins(&Label {
        origins: context.suspects(),
        ..context.clone()
    })
}

/// What an agent has read, without the user's own words.
pub(super) fn read_origins(context: &Label) -> String {
    let mut read = context.clone();
    read.origins.remove("user");
    origins(&read)
}

/// Where a part of a call that the user did not write comes from, as the end of a sentence. What
/// stands nowhere may be made from anything the agent read, and no single source may be accused.
pub(super) fn source(part: &Part<'_>) -> String {
    let from = read_origins(&part.traced.label);
    match part.traced.found {
        Found::Stored | Found::Referenced if is_of_several(&part.traced.label) => {
            format!("it stands in one of {from}")
        }
        Found::Stored | Found::Referenced => format!("it stands in {from}"),
        // What was only named, as by a move of it, is nothing that was read.
        Found::Said | Found::Nowhere if !part.traced.label.suspects().is_empty() => {
            let from = suspects(&part.traced.label);
            format!("the agent wrote it itself, after reading {from}")
        }
        Found::Said | Found::Nowhere => {
            format!("the agent wrote it itself, after reading {from}")
        }
    }
}

/// Whether people are told more than one source of it, besides themselves.
fn is_of_several(label: &Label) -> bool {
    label
        .origins_in_words()
        .iter()
        .filter(|one| **one != "user")
        .count()
        > 1
}

/// Most sources that a sentence names.
const ORIGINS: usize = 12;

fn origins(label: &Label) -> String {
    if label.origins.is_empty() {
        let is_ours = label.integrity == Integrity::Trusted;
        return if is_ours {
            "this machine"
        } else {
            "an unknown place"
        }
        .to_owned();
    }
    let names = label.origins_in_words();
    let more = names.len().saturating_sub(ORIGINS);
    let tail = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let shown: Vec<&str> = names.into_iter().take(ORIGINS).collect();
    format!("{}{tail}", shown.join(", "))
}

/// A text for people: short, and with what hides spelled out.
pub(super) fn shown(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    format!("{short:?}")
}

pub(super) fn finding(
    verdict: Verdict,
    rule: &str,
    model_reason: &str,
    user_reason: String,
) -> Finding {
    Finding {
        layer: Layer::InformationFlow,
        verdict,
        rule: rule.to_owned(),
        model_reason: model_reason.to_owned(),
        user_reason,
    }
}
