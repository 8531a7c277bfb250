//! Which files change, by the kernel's inotify.
//!
//! What it is: [`api::signals::Watcher`] over one descriptor a watch.
//! What it owns: which folders are watched below a path, what is left out (`.git`, what ignore files
//! name, editors' passing files), and that changes which come together are one signal.
//! What it never does: read a file but ignore files, follow a symbolic link, change anything.
//! Where to start: [`Inotify`], then `tree.rs` (the folders) and `gather.rs` (the changes).

mod gather;
mod tree;

use api::signals::{Error, Watcher};
use domain::drive::Signal;
use futures::StreamExt;
use futures::stream::BoxStream;
use std::path::PathBuf;

pub use gather::{NAMED, PAUSE, PAUSE_MOST};
pub use tree::FOLDERS;

/// Watches through the kernel.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inotify;

impl Watcher for Inotify {
    fn watch(&self, paths: Vec<PathBuf>) -> Result<BoxStream<'static, Signal>, Error> {
        let tree = tree::Tree::plant(&paths)?;
        let changes = gather::Changes::of(tree)?;
        let stream = futures::stream::unfold(changes, async |mut changes| {
            let signal = changes.next().await?;
            Some((signal, changes))
        });
        Ok(stream.boxed())
    }
}
