//! Reads the file of the LoCoMo benchmark (snap-research/LoCoMo, `data/locomo10.json`, CC BY-NC 4.0).

use anyhow::{Context as _, Result, bail, ensure};
use generated::dialogue::{Conversation, Question, Turn};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// What to do when the file is not there.
pub const HOW_TO_GET_IT: &str = "set HOUSE_LOCOMO to the benchmark's file: \
    `data/locomo10.json` of the repository snap-research/LoCoMo, or any list of such conversations. \
    Its licence (CC BY-NC 4.0) allows evaluation and not its distribution with Housecarl";

/// Reads conversations from the file.
///
/// # Errors
/// When it cannot be read or is of another form.
pub fn read(path: &Path) -> Result<Vec<Conversation>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read {}: {HOW_TO_GET_IT}", path.display()))?;
    let file: Value = serde_json::from_str(&text)
        .with_context(|| format!("{} is no JSON: {HOW_TO_GET_IT}", path.display()))?;
    let samples = file
        .as_array()
        .context("the file is no list of conversations")?;
    samples.iter().map(conversation).collect()
}

fn conversation(sample: &Value) -> Result<Conversation> {
    let name = words(sample, "sample_id")?;
    let said = &sample["conversation"];
    let mut turns = Vec::new();
    let mut places = HashMap::new();
    for session in 1.. {
        let Some(list) = said[format!("session_{session}")].as_array() else {
            // A file may have a date for a session that it lacks.
            match said.get(format!("session_{session}_date_time")) {
                Some(_) => continue,
                None => break,
            }
        };
        let date = said[format!("session_{session}_date_time")]
            .as_str()
            .unwrap_or_default();
        for turn in list {
            places.insert(words(turn, "dia_id")?, turns.len());
            turns.push(Turn {
                session,
                date: date.to_owned(),
                speaker: words(turn, "speaker")?,
                text: words(turn, "text")?,
                caption: turn["blip_caption"].as_str().unwrap_or_default().to_owned(),
            });
        }
    }
    ensure!(!turns.is_empty(), "the conversation {name} has no turns");
    let listed = sample["qa"]
        .as_array()
        .context("a conversation has no questions")?;
    let mut questions = Vec::new();
    for asked in listed {
        questions.extend(question(asked, &places)?);
    }
    Ok(Conversation {
        name,
        turns,
        questions,
    })
}

/// A question, unless it is meant to have no answer or names no turn that there is.
fn question(asked: &Value, places: &HashMap<String, usize>) -> Result<Option<Question>> {
    let category = match asked["category"].as_u64() {
        Some(1) => "multi-hop",
        Some(2) => "temporal",
        Some(3) => "open-domain",
        Some(4) => "single-hop",
        Some(5) => return Ok(None),
        other => bail!("a question has the category {other:?}"),
    };
    let mut evidence = Vec::new();
    for part in asked["evidence"].as_array().into_iter().flatten() {
        for id in dialogue_ids(part.as_str().unwrap_or_default()) {
            if let Some(&place) = places.get(&id)
                && !evidence.contains(&place)
            {
                evidence.push(place);
            }
        }
    }
    if evidence.is_empty() {
        return Ok(None);
    }
    Ok(Some(Question {
        text: words(asked, "question")?,
        evidence,
        category,
    }))
}

/// The ids in a string that may hold several, or be malformed: every `D:?\d+:\d+`, as `D1:2`.
fn dialogue_ids(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in text.split('D').skip(1) {
        let part = part.strip_prefix(':').unwrap_or(part);
        let (session, rest) = digits(part);
        let (turn, _) = digits(rest.strip_prefix(':').unwrap_or_default());
        if !session.is_empty() && !turn.is_empty() {
            found.push(format!("D{session}:{turn}"));
        }
    }
    found
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

fn words(value: &Value, key: &str) -> Result<String> {
    let text = value[key].as_str();
    Ok(text
        .with_context(|| format!("`{key}` is missing"))?
        .to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_are_found_in_strings_of_several_and_in_malformed_ones() {
        assert_eq!(dialogue_ids("D1:2"), ["D1:2"]);
        assert_eq!(
            dialogue_ids("D8:6; D9:17 D:11:26"),
            ["D8:6", "D9:17", "D11:26"]
        );
        assert!(dialogue_ids("D").is_empty());
        assert!(dialogue_ids("D3 D4:").is_empty());
    }

    #[test]
    fn a_sample_is_read() {
        let sample = json!({
            "sample_id": "one",
            "conversation": {
                "session_1_date_time": "3 May",
                "session_1": [
                    {"speaker": "Ada", "dia_id": "D1:1", "text": "I grow beans."},
                    {"speaker": "Bo", "dia_id": "D1:2", "text": "Nice.", "blip_caption": "a bean"},
                ],
                "session_2_date_time": "lost",
                "session_3_date_time": "4 May",
                "session_3": [{"speaker": "Bo", "dia_id": "D3:1", "text": "Bye."}],
            },
            "qa": [
                {"question": "What?", "evidence": ["D1:1", "D1:1 D3:1"], "category": 1},
                {"question": "None?", "evidence": ["D1:1"], "category": 5},
                {"question": "Where?", "evidence": ["D7:7"], "category": 4},
            ],
        });
        let read = conversation(&sample).unwrap();
        assert_eq!(read.turns.len(), 3);
        assert_eq!(read.turns[1].said(), "Bo: Nice. [image: a bean]");
        assert_eq!(
            (read.turns[2].session, read.turns[2].date.as_str()),
            (3, "4 May")
        );
        let expected = Question {
            text: "What?".into(),
            evidence: vec![0, 2],
            category: "multi-hop",
        };
        assert_eq!(read.questions, [expected]);
    }
}
