//! A second answer to the last request: asked for, shown, and compared by the user.

use crate::conversation::{Conversation, last_answered, so_far};
use crate::exit::{Failure, OrFail};
use anyhow::Result;
use api::sessions::SecondRequest;
use domain::id::QueryId;
use domain::model::ModelRef;
use domain::quality::Winner;
use rendering::slash::Second;
use rendering::{agents, models, quality};
use text::escape::visible_line;

/// Does what `/b` asks for.
pub(crate) async fn second(on: &mut dyn Conversation, wanted: Second) -> Result<()> {
    match wanted {
        Second::Show => show(on).await,
        Second::Ask { model, temperature } => ask(on, model, temperature).await,
        Second::Rate(winner) => rate(on, winner).await,
        Second::Take => take(on).await,
    }
}

async fn show(on: &mut dyn Conversation) -> Result<()> {
    let answered = last_answered(on, "answer again").await?;
    let view = so_far(on).await?;
    match view.second(answered.query_id) {
        Some(second) => {
            on.tell(&quality::second(second))?;
            if second.answer.is_some() && second.rated.is_none() {
                on.tell(
                    "/b a, /b b or /b same says which is better; /b take puts it in the place of the \
                     first; /b MODEL asks another model",
                )?;
            }
            Ok(())
        }
        None => ask(on, None, None).await,
    }
}

/// Asks for one. It is told when it is there, and nobody waits for it.
async fn ask(
    on: &mut dyn Conversation,
    model: Option<String>,
    temperature: Option<f32>,
) -> Result<()> {
    let answered = last_answered(on, "answer again").await?;
    let model = match model {
        Some(name) => {
            let known = on.host().list_models().await?;
            let named = models::named(&name, &known);
            Some(named.map_err(|fault| Failure::usage(fault.message, fault.hint))?)
        }
        None => None,
    };
    let wanted = SecondRequest { model, temperature };
    let sessions = on.host().sessions();
    let asking = sessions.ask_second(on.session().session_id, answered.query_id, wanted);
    asking.await.or_fail()?;
    let about = agents::gist(&answered.text);
    on.tell(&format!("to be answered again: {about}"))
}

/// The last request that was answered, which has to have a second answer, and the model that gave it.
async fn with_second(on: &mut dyn Conversation, verb: &str) -> Result<(QueryId, ModelRef)> {
    let answered = last_answered(on, verb).await?;
    let view = so_far(on).await?;
    let second = view.second(answered.query_id);
    let answer = second.and_then(|second| second.answer.as_ref());
    let answer = answer.ok_or_else(|| {
        let why = format!("there is no second answer to {verb}");
        Failure::usage(why, "Type /b to ask for one.")
    })?;
    Ok((answered.query_id, answer.model.clone()))
}

async fn take(on: &mut dyn Conversation) -> Result<()> {
    let (query_id, model) = with_second(on, "take over").await?;
    let view = so_far(on).await?;
    if view.second(query_id).is_some_and(|second| second.is_taken) {
        let why = "the second answer stands in the place of the first already";
        return Err(Failure::usage(why, "`/b MODEL` asks another model.").into());
    }
    let mut newest_first = view.exchanges().standing().iter().rev();
    let last = newest_first.find(|one| !one.is_undo && !one.is_command);
    if last.is_some_and(|last| last.query_id != query_id) {
        let why = "the session has gone on by itself since that answer, which cannot be replaced any more";
        let hint = "/b a, /b b or /b same says which is better.";
        return Err(Failure::usage(why, hint).into());
    }
    let sessions = on.host().sessions();
    let taking = sessions.take_second(on.session().session_id, query_id);
    taking.await.or_fail()?;
    // That it was taken over is told by its event, here and in other windows.
    if view.work().model() == Some(&model) {
        return Ok(());
    }
    let model = visible_line(&model.to_string());
    on.tell(&format!(
        "/model {model} has that model answer from here on; in all sessions, so does a line\n\
         `code = \"{model}\"` under [models.roles] in the configuration (for the coder)"
    ))
}

async fn rate(on: &mut dyn Conversation, winner: Winner) -> Result<()> {
    let (query_id, _) = with_second(on, "compare with").await?;
    let sessions = on.host().sessions();
    let rating = sessions.rate_second(on.session().session_id, query_id, winner);
    rating.await.or_fail()?;
    on.tell(&format!("noted: {}", quality::better(winner)))
}
