//! The stream of an answer that may have to wait: what it waits for comes first, then the answer.

use crate::answer::Answer;
use crate::error::Error;
use api::Streaming;
use api::models::ChatChunk;
use futures::future::BoxFuture;
use futures::{StreamExt, stream};
use tokio::sync::mpsc;

/// An answer that is being opened.
type Opening = BoxFuture<'static, Result<Box<Answer>, Error>>;

/// How far an answer is.
enum Stage {
    /// What it waits for is to be told, then it waits on.
    Waiting(Option<ChatChunk>, Opening, mpsc::Receiver<ChatChunk>),
    Answering(Box<Answer>),
    Over,
}

/// Opens an answer. Returns once it is open, or earlier where it has to wait.
///
/// # Errors
/// Why it cannot be opened, where it had not to wait.
pub(crate) async fn stream(
    mut opening: Opening,
    mut told: mpsc::Receiver<ChatChunk>,
) -> Result<Streaming<ChatChunk, Error>, Error> {
    let stage = tokio::select! {
        biased;
        opened = &mut opening => Stage::Answering(opened?),
        Some(why) = told.recv() => Stage::Waiting(Some(why), opening, told),
    };
    Ok(stream::unfold(stage, next).boxed())
}

async fn next(mut stage: Stage) -> Option<(Result<ChatChunk, Error>, Stage)> {
    loop {
        stage = match stage {
            Stage::Waiting(Some(why), opening, told) => {
                let rest = Stage::Waiting(None, opening, told);
                return Some((Ok(why), rest));
            }
            Stage::Waiting(None, mut opening, mut told) => tokio::select! {
                biased;
                opened = &mut opening => match opened {
                    Ok(answer) => Stage::Answering(answer),
                    Err(error) => return Some((Err(error), Stage::Over)),
                },
                Some(why) = told.recv() => Stage::Waiting(Some(why), opening, told),
            },
            Stage::Answering(mut answer) => {
                let chunk = answer.next().await?;
                return Some((chunk, Stage::Answering(answer)));
            }
            Stage::Over => return None,
        };
    }
}
