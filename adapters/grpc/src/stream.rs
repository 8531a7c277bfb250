//! Streams: an error is the last thing in one.

use futures::StreamExt;
use futures::stream::{BoxStream, Stream, unfold};

/// The stream up to and including its first error, after which what is behind it is dropped.
/// Dropping it earlier drops what is behind it too.
pub(crate) fn until_error<T, E>(
    items: impl Stream<Item = Result<T, E>> + Send + 'static,
) -> BoxStream<'static, Result<T, E>>
where
    T: Send + 'static,
    E: Send + 'static,
{
    let step = |items: Option<BoxStream<'static, Result<T, E>>>| async move {
        let mut items = items?;
        let item = items.next().await?;
        let rest = item.is_ok().then_some(items);
        Some((item, rest))
    };
    unfold(Some(items.boxed()), step).boxed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::stream::{iter, pending};

    #[tokio::test]
    async fn nothing_comes_after_an_error_not_even_waiting() {
        let items = iter([Ok(1), Err("broken")]).chain(pending());
        let seen: Vec<_> = until_error(items).collect().await;
        assert_eq!(seen, [Ok(1), Err("broken")]);
    }
}
