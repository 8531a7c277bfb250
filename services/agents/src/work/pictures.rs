//! What is known of a model before it is asked, and the pictures that one sees: those that the user gave with a request, and those that a call
//! showed. A picture is labelled like any other content from outside, and names nothing.

use crate::work::Work;
use api::broker::ToolResult;
use api::models::{ModelFacts, Models};
use api::sessions::{Error, ErrorKind, PictureFile};
use context::View;
use domain::event::{CallStatus, EventBody};
use domain::fault::Fault;
use domain::label::Label;
use domain::limits::PICTURES;
use domain::model::ModelChoice;
use domain::picture::Picture;
use domain::tool::ToolDefinition;
use serde::Deserialize;
use std::time::Duration;

/// The tool that shows a picture.
const VIEW_IMAGE: &str = "view_image";
/// Longest a request waits to learn what is known of its model: without it nobody knows whether the rules
/// come first, and an engine that just begins may take this long on a busy machine.
const DESCRIBING: Duration = Duration::from_secs(10);
/// Longest name of a picture, characters.
const NAME_CHARS: usize = 200;

/// What is known of a model; nothing of what is not known in time: the answer to the request itself
/// says what is wrong.
pub(crate) async fn facts_of(models: &dyn Models, choice: ModelChoice) -> ModelFacts {
    in_time(models.describe(choice)).await
}

async fn in_time<E>(describing: impl Future<Output = Result<ModelFacts, E>>) -> ModelFacts {
    let described = tokio::time::timeout(DESCRIBING, describing).await;
    let known = described.ok().and_then(Result::ok);
    known.unwrap_or_else(|| {
        tracing::warn!("nothing is known of the model");
        ModelFacts::default()
    })
}

/// Has the agent's view fit its model.
pub(crate) fn set(work: &Work) {
    work.with_state(|state| {
        state.conversation.view.set_sight(sees(work));
        count_as(&mut state.conversation.view, &work.agent.facts);
    });
}

/// Has a view count tokens as the model's server does, as far as that was learnt.
pub(crate) fn count_as(view: &mut View, facts: &ModelFacts) {
    if let Some(permille) = facts.tokens_permille {
        view.set_counting(u64::from(permille));
    }
}

/// Whether the model is known to see.
pub(crate) fn sees(work: &Work) -> bool {
    work.agent.facts.sees == Some(true)
}

/// The events that say which pictures were given.
///
/// # Errors
/// When they are too many, or one is none that every provider takes.
pub(crate) fn given(pictures: &[PictureFile]) -> Result<Vec<EventBody>, Error> {
    let invalid = |detail: String| Error::new(ErrorKind::InvalidRequest, detail);
    if pictures.len() > PICTURES {
        return Err(invalid(format!(
            "The request has {} pictures; at most {PICTURES} are taken.",
            pictures.len()
        )));
    }
    let given = pictures.iter().map(|file| {
        let name = shown_name(&file.name);
        let picture = picture::read(&file.bytes)
            .map_err(|why| invalid(format!("{name} cannot be shown to a model: {why}.")))?;
        Ok(shown(name, picture, None))
    });
    given.collect()
}

fn shown_name(name: &str) -> String {
    let name: String = name.chars().take(NAME_CHARS).collect();
    text::escape::visible_line(&name)
}

fn shown(name: String, picture: Picture, label: Option<Label>) -> EventBody {
    EventBody::PictureShown {
        label: label.unwrap_or_else(|| Label::untrusted(format!("picture:{name}"))),
        name,
        picture,
    }
}

/// The picture that a call showed, if it did and the model sees.
pub(crate) fn of_call(work: &Work, tool: &str, result: &ToolResult) -> Option<EventBody> {
    let is_shown = sees(work) && work.request.mode.is_loop() && tool == VIEW_IMAGE;
    if !is_shown || result.status != CallStatus::Ok {
        return None;
    }
    let name = result.data["path"].as_str().unwrap_or("picture");
    match Picture::deserialize(&result.data) {
        Ok(picture) => Some(shown(shown_name(name), picture, result.label.clone())),
        Err(error) => {
            tracing::warn!(%error, "a picture could not be shown");
            None
        }
    }
}

/// The tools without those that are of no use to a model that does not see.
pub(crate) fn offered(sees: bool, tools: Vec<ToolDefinition>) -> Vec<ToolDefinition> {
    let tools = tools.into_iter();
    tools
        .filter(|tool| sees || tool.name.as_str() != VIEW_IMAGE)
        .collect()
}

/// Tells the broker of the pictures that came with the request before anything is made of them.
///
/// # Errors
/// When the model does not see, or the broker does not take their labels: no model must then be
/// asked.
pub(crate) async fn before(work: &Work) -> Result<(), Fault> {
    let labels = work.with_state(|state| state.conversation.picture_labels());
    if labels.is_empty() {
        return Ok(());
    }
    if !sees(work) {
        return Err(cannot_see());
    }
    for label in labels {
        work.note_shown(label).await?;
    }
    Ok(())
}

fn cannot_see() -> Fault {
    Fault {
        code: "agents.model_cannot_see".to_owned(),
        message: "A picture came with the request, and the model is not known to see pictures."
            .to_owned(),
        hint: "Name a model that sees (--model), or set `vision = true` at its provider in \
               config.toml if it does."
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest GIF: one pixel.
    const GIF: &[u8] =
        b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

    fn file(name: &str) -> PictureFile {
        PictureFile {
            name: name.to_owned(),
            bytes: GIF.to_vec(),
        }
    }

    /// By an engine that begins on a busy machine: the rules come first only where it is known.
    #[tokio::test(start_paused = true)]
    async fn a_model_that_is_described_after_some_seconds_is_known() {
        let after = |wait: Duration| async move {
            let waited = tokio::time::timeout(wait, std::future::pending::<()>()).await;
            assert!(waited.is_err());
            Ok::<_, ()>(ModelFacts {
                is_stand_in: true,
                ..ModelFacts::default()
            })
        };
        assert!(in_time(after(Duration::from_secs(8))).await.is_stand_in);
        assert!(!in_time(after(Duration::from_secs(60))).await.is_stand_in);
    }

    #[test]
    fn pictures_at_the_limit_are_taken_and_one_more_is_not() {
        assert_eq!(
            given(&vec![file("a.gif"); PICTURES]).unwrap().len(),
            PICTURES
        );
        assert!(given(&vec![file("a.gif"); PICTURES + 1]).is_err());
    }

    #[test]
    fn a_picture_is_labelled_as_from_outside_and_a_text_is_none() {
        let EventBody::PictureShown { name, label, .. } =
            given(&[file("a\u{1b}[2J.gif")]).unwrap().remove(0)
        else {
            panic!("another event");
        };
        assert!(!name.contains('\u{1b}'));
        assert_eq!(label, Label::untrusted(format!("picture:{name}")));
        let text = PictureFile {
            bytes: b"no picture".to_vec(),
            ..file("a.gif")
        };
        assert!(given(&[text]).unwrap_err().to_string().contains("a.gif"));
    }
}
