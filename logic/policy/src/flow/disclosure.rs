//! What a call tells, and to whom: secrets, readers (P, E) and addresses handed on (U).

use crate::flow::entities::leads;
use crate::flow::keys::words;
use crate::flow::knowledge::Pinned;
use crate::flow::normal::{decoded, exact, folded, unmasked};
use crate::flow::parts::{Asked, Part};
use crate::flow::provenance::Found;
use crate::flow::rules::{Call, finding, read_origins, shown, source};
use crate::request::Asking;
use domain::decision::{Finding, Verdict};
use domain::label::{Integrity, Readers};
use domain::limits::PRIVATE_INQUIRIES;
use domain::tool::{ArgumentRole, Audience, EffectClass};
use std::collections::BTreeSet;

/// Words that name nobody in particular.
const EVERYBODY: [&str; 9] = [
    "all",
    "any",
    "anybody",
    "anyone",
    "everybody",
    "everyone",
    "public",
    "world",
    "*",
];

/// Names of arguments that hold a question.
const QUERIES: [&str; 10] = [
    "query", "queries", "q", "search", "keyword", "keywords", "term", "terms", "question", "phrase",
];

/// Words in the names of tools that only look something up.
const SEARCHING: [&str; 6] = ["search", "find", "look", "lookup", "query", "google"];

impl Call<'_> {
    /// A secret never leaves, whoever asks. A tool that tells others may tell them by a setting of
    /// its own, so that it counts also where a call names nobody.
    pub(super) fn secret(&self) -> Option<Finding> {
        if self.spec.audience == Audience::User {
            return None;
        }
        let parts = self.targets.iter().chain(&self.payload);
        let is_secret = self.flow.known.is_secret;
        let leaked = parts.into_iter().find(|part| {
            // A secret keeps its case, so that only what hides in it is taken out.
            let plain = unmasked(&part.text);
            let joined: String = plain.chars().filter(|c| !c.is_whitespace()).collect();
            let texts = [part.text.as_str(), plain.as_str(), joined.as_str()];
            texts.into_iter().any(is_secret) || decoded(&plain).iter().any(|t| is_secret(t))
        })?;
        Some(finding(
            Verdict::Deny,
            "secret_in_payload",
            "It would send a secret out. Leave the secret out.",
            format!(
                "`{}` holds a secret, or what has the shape of one.",
                leaked.argument
            ),
        ))
    }

    /// Whether anyone but the user learns anything from it. Where only those learn it whom the call
    /// names, and it names none, no one does; but what is sent goes to somebody, who may be anyone.
    pub(super) fn leaves(&self) -> bool {
        match self.spec.audience {
            Audience::User => false,
            // What a selected thing is told, those learn who see the thing: they may be anyone.
            Audience::Targets => {
                let is_sent = self.spec.effect == EffectClass::Egress;
                is_sent || self.parties().next().is_some() || self.selects()
            }
            Audience::Only(_) | Audience::Public => true,
        }
    }

    /// P and E: no one learns what is not theirs to read.
    pub(super) fn audience(&self) -> Option<Finding> {
        if !self.leaves() || self.pinned == Pinned::Call {
            return None;
        }
        // Where a call only looks, its targets are what it tells: queries and addresses.
        let told = self.payload.iter().chain(if self.has_effect() {
            &[]
        } else {
            &self.targets[..]
        });
        let control = match self.pinned {
            Pinned::Nothing | Pinned::Draft if self.has_effect() => {
                Some(&self.flow.known.context.readers)
            }
            _ => None,
        };
        let mut secret_parts = told.filter(|part| !self.may_learn(self.readers(part)));
        if let Some(part) = secret_parts.next() {
            return Some(finding(
                Verdict::Confirm,
                "audience",
                "It would tell others what they may not know. Leave that out.",
                format!(
                    "`{}` may hold what {} may not learn: {}.",
                    part.argument,
                    self.audience_words(),
                    source(part)
                ),
            ));
        }
        control.filter(|readers| !self.may_learn(readers)).map(|_| {
            finding(
                Verdict::Confirm,
                "control_audience",
                "That it is done would tell others what they may not know.",
                format!(
                    "That this is done may tell {} what the agent has read: {}.",
                    self.audience_words(),
                    read_origins(self.flow.known.context)
                ),
            )
        })
    }

    /// Whether the call sends a question to one place that is always the same, and says nothing else:
    /// a search of the web that the table calls sending.
    pub(super) fn is_query(&self) -> bool {
        let is_named = |part: &Part<'_>| {
            let last = words(part.argument).pop();
            last.is_some_and(|word| QUERIES.contains(&word.as_str()))
        };
        self.spec.effect == EffectClass::Egress
            && self.is_named_for(&SEARCHING)
            && self.targets.is_empty()
            && !self.payload.is_empty()
            && self.payload.iter().all(is_named)
    }

    /// Whether it only asks others something, and the agent or another one of the session was shown
    /// what they may not know.
    pub(super) fn is_private_inquiry(&self) -> bool {
        let only_asks = !self.has_effect() || self.is_fetch() || self.is_query();
        let is_inquiry = self.pinned != Pinned::Call && only_asks && self.leaves();
        let known = self.flow.known;
        is_inquiry && !(self.may_learn(&known.context.readers) && self.may_learn(known.company))
    }

    /// P, over a task: which of several harmless things is asked can say what was read, so there is
    /// an end to what is asked without a question.
    pub(super) fn inquiries(&self) -> Option<Finding> {
        if self.flow.may_inquire || !self.is_private_inquiry() {
            return None;
        }
        Some(finding(
            Verdict::Confirm,
            "many_inquiries",
            "Too much was asked outside since something private was read. Answer with what you have.",
            format!(
                "{PRIVATE_INQUIRIES} times others were asked something after {} was read; what is \
                 asked, and in which order, may tell {} what stands there.",
                read_origins(self.flow.known.context),
                self.audience_words()
            ),
        ))
    }

    /// Who may learn a part. A question in the user's own words tells what the user said and no
    /// more, whatever else the agent has read. What the folder of the session is called is nobody's
    /// to learn. A thing that an order of the user's names by its
    /// title, and that nothing in the session changed, may be shown to whom the same order names.
    fn readers<'p>(&self, part: &'p Part<'_>) -> &'p Readers {
        let provenance = self.flow.known.provenance;
        if part.traced.found != Found::Said && provenance.tells_folder(&part.text) {
            return &Readers::Nobody;
        }
        let is_question =
            !self.has_effect() && part.traced.found != Found::Said && !part.tells_by_place;
        let is_named = || {
            let is_set = part.traced.label.integrity == Integrity::Endorsed;
            is_set && self.asking().iter().any(|asking| self.shows(asking, part))
        };
        if is_question && provenance.is_said_query(&part.text) || self.has_effect() && is_named() {
            return &Readers::Public;
        }
        &part.traced.label.readers
    }

    /// Whether an order names both a thing and those who are to see it.
    fn shows(&self, asking: &Asking, part: &Part<'_>) -> bool {
        let is_to = |party: &Part<'_>| party.traced.found == Found::Said && asking.has(&party.text);
        let provenance = self.flow.known.provenance;
        !self.is_addressed_to_nobody()
            && !self.is_for_everybody()
            && (self.spec.audience != Audience::Public || self.parties().next().is_some())
            && self.parties().all(is_to)
            && asking.leaves_out_nobody(&self.party_names())
            && provenance.is_titled_and_unchanged(&part.text, |title| asking.names_thing(title))
    }

    fn may_learn(&self, readers: &Readers) -> bool {
        let all_of = |names: Vec<&str>| match readers {
            Readers::Public => true,
            Readers::Nobody => false,
            Readers::Only(known) => {
                let known: BTreeSet<String> = known.iter().map(|n| n.to_lowercase()).collect();
                names
                    .iter()
                    .all(|name| known.contains(&name.to_lowercase()))
            }
        };
        match &self.spec.audience {
            Audience::User => true,
            Audience::Public => *readers == Readers::Public,
            Audience::Only(names) => all_of(names.iter().map(String::as_str).collect()),
            Audience::Targets if self.parties().next().is_none() => *readers == Readers::Public,
            Audience::Targets => all_of(self.parties().map(|t| t.text.as_str()).collect()),
        }
    }

    /// Whom the call names: its targets, but for what selects content, for amounts and for what is
    /// left empty.
    pub(super) fn parties(&self) -> impl Iterator<Item = &Part<'_>> {
        let targets = self.targets.iter();
        targets.filter(|target| {
            let is_empty = matches!(target.text.trim(), "" | "null");
            target.asked == Asked::Target && !self.is_selector(target) && !is_empty
        })
    }

    /// Whom the call names, in lower case.
    pub(super) fn party_names(&self) -> BTreeSet<String> {
        self.parties().map(|party| exact(&party.text)).collect()
    }

    /// Whether the call goes to everybody: a word that a sentence has for other reasons.
    pub(super) fn is_for_everybody(&self) -> bool {
        let is_all = |party: &Part<'_>| EVERYBODY.contains(&exact(party.text.trim()).as_str());
        self.parties().any(is_all)
    }

    /// Whether the tool tells those whom a call names, and the call leaves out whom: that may be
    /// everybody.
    pub(super) fn is_addressed_to_nobody(&self) -> bool {
        let mut arguments = self.spec.arguments.values();
        let has_target = arguments.any(|argument| argument.role == ArgumentRole::Target);
        has_target && self.leaves() && self.parties().next().is_none()
    }

    /// Whether the call lands on what a selector names.
    pub(super) fn selects(&self) -> bool {
        self.targets.iter().any(|target| self.is_selector(target))
    }

    fn audience_words(&self) -> String {
        match &self.spec.audience {
            Audience::User => "no one".to_owned(),
            Audience::Public => "the public".to_owned(),
            Audience::Only(names) => names.iter().cloned().collect::<Vec<_>>().join(", "),
            Audience::Targets => {
                let names: Vec<String> = self.parties().map(|t| shown(&t.text)).collect();
                match names.is_empty() {
                    true => "those who see it".to_owned(),
                    false => names.join(", "),
                }
            }
        }
    }

    /// U: what is handed on does not lead where outsiders want readers to go.
    pub(super) fn leads(&self) -> Option<Finding> {
        if !self.leaves() || self.pinned == Pinned::Call {
            return None;
        }
        let lead = self
            .payload
            .iter()
            .find_map(|part| Some((part, self.untrusted_lead(part)?)));
        lead.map(|(part, lead)| {
            finding(
                Verdict::Confirm,
                "untrusted_lead",
                "It hands on an address that does not come from the user. Leave it out.",
                format!(
                    "`{}` hands on {}, which was not named by you.",
                    part.argument,
                    shown(&lead)
                ),
            )
        })
    }

    fn untrusted_lead(&self, part: &Part<'_>) -> Option<String> {
        if part.traced.label.integrity != Integrity::Untrusted {
            return None;
        }
        let mut texts = vec![part.text.clone(), folded(&part.text).replace('。', ".")];
        for once in decoded(&part.text) {
            texts.extend(decoded(&once));
            texts.push(folded(&once));
        }
        texts.into_iter().find_map(|text| match leads(&text) {
            None => Some("more addresses than can be looked at".to_owned()),
            Some(leads) => leads.into_iter().find(|lead| {
                let traced = self
                    .flow
                    .known
                    .provenance
                    .trace_text(lead, self.flow.known.context);
                traced.label.integrity == Integrity::Untrusted
            }),
        })
    }
}
