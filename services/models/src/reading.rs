//! The prompt being read, by a server that tells how far it is: what it tells comes before the
//! answer, and is none of it.

use crate::call::Piece;
use crate::error::{self, Error, ErrorKind};
use crate::opening::{Failure, Pieces};
use domain::model::PromptProgress;
use futures::{StreamExt, stream};
use tokio::sync::watch;

/// Waits for the answer's first piece, and tells meanwhile how far the prompt is. A server that ends
/// before it has as good as not begun: another try, or another provider, may do better.
///
/// # Errors
/// As for an answer that cannot be opened.
pub(crate) async fn until_answer(
    name: &str,
    mut upstream: Pieces,
    heard: &watch::Sender<PromptProgress>,
) -> Result<Pieces, Failure> {
    loop {
        match upstream.next().await {
            Some(Ok(Piece::Prompt(progress))) => drop(heard.send_replace(progress)),
            Some(Ok(piece)) => return Ok(stream::iter([Ok(piece)]).chain(upstream).boxed()),
            Some(Err(error)) => return Err(sorted(error)),
            None => return Err(Failure::again(error::interrupted(name))),
        }
    }
}

fn sorted(error: Error) -> Failure {
    match error.kind {
        ErrorKind::Interrupted | ErrorKind::Busy | ErrorKind::Server => Failure::again(error),
        _ => Failure::last(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tokens: u64) -> Piece {
        Piece::Prompt(PromptProgress {
            read_tokens: tokens,
            total_tokens: 40,
        })
    }

    #[tokio::test]
    async fn progress_comes_before_the_answer_and_is_none_of_it() {
        let (heard, told) = watch::channel(PromptProgress::default());
        let text = Piece::Text("On".to_owned());
        let pieces = [Ok(read(10)), Ok(read(20)), Ok(text.clone())];
        let upstream = stream::iter(pieces).boxed();
        let rest = until_answer("llama", upstream, &heard).await.unwrap();
        let rest: Vec<_> = rest.map(Result::unwrap).collect().await;
        assert_eq!((rest, told.borrow().read_tokens), (vec![text], 20));
    }

    #[tokio::test]
    async fn a_server_that_ends_while_it_reads_was_never_open() {
        let (heard, _told) = watch::channel(PromptProgress::default());
        let upstream = stream::iter([Ok(read(10))]).boxed();
        let failed = until_answer("llama", upstream, &heard).await.err().unwrap();
        assert_eq!(failed.error.kind, ErrorKind::Interrupted);
    }
}
