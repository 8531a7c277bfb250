//! A proposal as text for a person to read, correct and approve.

use super::{Confidence, Proposal, ProposedArgument};
use domain::tool::{ArgumentRole, Audience, TargetKind};

/// Longest part of a tool's description that is shown, characters.
const DESCRIPTION_CHARS: usize = 160;

const HEAD: &str = "\
# Proposed by `carl tools classify` from names, descriptions and schemas. Nothing here counts yet:
# until its entry says `approved: true`, a tool is treated as `exec`, with everyone as audience.
# For each tool: is the effect right? does each argument do what stands there? Then approve it.
# Results are untrusted and for nobody; docs/tool-tables.md says how to endorse single fields.
version: 1
tools:
";

/// The proposals as a tool table, each guess with its reason.
#[must_use]
pub fn yaml(proposals: &[Proposal]) -> String {
    let mut text = HEAD.to_owned();
    if proposals.is_empty() {
        text.truncate(text.len() - "tools:\n".len());
        text.push_str("tools: {}\n");
    }
    for proposal in proposals {
        entry(proposal, &mut text);
    }
    text
}

fn entry(proposal: &Proposal, text: &mut String) {
    let said = one_line(&proposal.description, DESCRIPTION_CHARS);
    text.push_str(&format!("  {}:\n", key(proposal.name.as_str())));
    if !said.is_empty() {
        text.push_str(&format!("    # It says of itself: {said}\n"));
    }
    let sure = match proposal.confidence {
        Confidence::High => "name and description agree",
        Confidence::Low => "look closely",
        Confidence::Unknown => "a guess in the dark",
    };
    text.push_str(&format!(
        "    # {} ({sure}).\n",
        proposal.reasons.join("; ")
    ));
    for doubt in &proposal.doubts {
        text.push_str(&format!("    # {doubt}.\n"));
    }
    text.push_str("    approved: false\n");
    text.push_str(&format!("    effect: {}\n", proposal.effect.as_str()));
    text.push_str(&format!("    audience: {}\n", audience(&proposal.audience)));
    if !proposal.arguments.is_empty() {
        text.push_str("    arguments:\n");
    }
    for argument in &proposal.arguments {
        let key = key(&argument.name);
        let value = role(argument);
        text.push_str(&format!("      {key}: {value} # {}\n", argument.reason));
    }
    text.push_str(&format!("    pin: \"{}\"\n", proposal.pin));
}

fn audience(audience: &Audience) -> String {
    match audience {
        Audience::User => "user".to_owned(),
        Audience::Targets => "targets".to_owned(),
        Audience::Public => "public".to_owned(),
        Audience::Only(names) => {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            format!("[{}]", names.join(", "))
        }
    }
}

fn role(argument: &ProposedArgument) -> String {
    let names = match argument.names {
        Some(TargetKind::Url) => "url",
        Some(TargetKind::ReadPath) => "read_path",
        Some(TargetKind::WritePath) => "write_path",
        Some(TargetKind::Other) | None => "",
    };
    match argument.role {
        ArgumentRole::Target if names.is_empty() => "target".to_owned(),
        ArgumentRole::Target => format!("{{role: target, names: {names}}}"),
        ArgumentRole::Payload => "payload".to_owned(),
        ArgumentRole::Selector => "selector".to_owned(),
        ArgumentRole::Knob => "knob".to_owned(),
        // A proposal cannot know the name of a secret, so it never has this role.
        ArgumentRole::Secret => "target".to_owned(),
    }
}

/// A key, quoted unless it is a plain word that no YAML reader takes for something else.
fn key(name: &str) -> String {
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    let odd = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    if is_word && !odd.contains(&name.to_ascii_lowercase().as_str()) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// A double-quoted YAML scalar. Whatever is not plain ASCII is escaped, so that a name can neither
/// end the quotation nor look like something else.
fn quoted(name: &str) -> String {
    let mut text = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            ' '..='~' => text.push(c),
            _ => text.push_str(&format!("\\U{:08X}", u32::from(c))),
        }
    }
    text.push('"');
    text
}

/// A tool's own words for a comment: one line, cut, with everything unprintable as `?`.
fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let shown: String = line
        .chars()
        .take(most)
        .map(|c| {
            let is_plain = (' '..='~').contains(&c) || c.is_alphanumeric();
            if is_plain { c } else { '?' }
        })
        .collect();
    if line.chars().count() > most {
        format!("{shown}...")
    } else {
        shown
    }
}
