//! The list of sessions before any of them is held.

use crate::alternate::Alternate;
use crate::background::Theme;
use crate::error::Error;
use crate::keyboard::{Came, Keyboard};
use crate::message::Message;
use crate::modes::{self, Modes};
use crate::picker::{Offer, Picker, Wish};
use crate::screen::colours;
use crate::{reading, view};
use api::sessions::{Selection, Sessions};
use crossterm::event::{Event, KeyEventKind};
use domain::id::SessionId;
use futures::FutureExt;
use futures::future::{FusedFuture, LocalBoxFuture, pending};
use std::io;
use std::path::PathBuf;

/// Has the user choose a session, seen from a folder, in colours of a theme; `None`: none is wanted.
///
/// # Errors
/// When the terminal cannot be used, or the sessions cannot be listed.
pub async fn choose(
    sessions: &dyn Sessions,
    (here, theme): (PathBuf, Theme),
    keyboard: &mut Keyboard,
) -> Result<Option<SessionId>, Error> {
    let mut picker = Picker::new(here, Offer::Resume);
    let mut listing = sessions.list(Selection::All).fuse();
    let _set = Modes::set().map_err(Error::of("set up"))?;
    let background = keyboard.ask(theme).map_err(Error::of("written"))?;
    let mut alternate = Alternate::open(colours(background)).map_err(Error::of("set up"))?;
    let mut size = modes::size().map_err(Error::of("measured"))?;
    let mut preview: LocalBoxFuture<'_, Vec<Message>> = pending().boxed_local();
    let mut search: LocalBoxFuture<'_, Vec<Message>> = pending().boxed_local();
    let chosen = loop {
        if let Some(words) = picker.next_search() {
            search = Box::pin(reading::said(sessions, words));
        }
        if let Some(id) = picker.next_preview() {
            preview = Box::pin(reading::preview(sessions, id));
        }
        let frame = view::sessions(&picker, size, view::Waiting::None);
        alternate.draw(&frame).map_err(Error::of("written"))?;
        let pressed = tokio::select! {
            pressed = keyboard.next() => pressed,
            // Where an index of thousands is made anew, that takes seconds.
            listed = &mut listing, if !listing.is_terminated() => {
                picker.fill(listed?);
                continue;
            }
            read = &mut search => {
                search = pending().boxed_local();
                tell(&mut picker, read);
                continue;
            }
            read = &mut preview => {
                preview = pending().boxed_local();
                tell(&mut picker, read);
                continue;
            }
        };
        let Some((_, read)) = pressed else {
            return Err(Error::of("read")(io::ErrorKind::UnexpectedEof.into()));
        };
        match read.map_err(Error::of("read"))? {
            Came::Background(background) => {
                alternate.turn_colours(colours(background));
                alternate.empty().map_err(Error::of("written"))?;
            }
            Came::Event(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                match picker.pressed(key) {
                    Wish::Close => break None,
                    Wish::Resume(id) => break Some(id),
                    Wish::None | Wish::Fork(_) | Wish::Export(_) | Wish::Rename(..) => {}
                }
            }
            Came::Event(Event::Resize(columns, rows)) => {
                size = modes::known_size(columns, rows);
                alternate.empty().map_err(Error::of("written"))?;
            }
            Came::Event(_) => {}
        }
    };
    keyboard.settle().await;
    alternate.close().map_err(Error::of("written"))?;
    Ok(chosen)
}

/// Something was read for the list.
fn tell(picker: &mut Picker, read: Vec<Message>) {
    for message in read {
        match message {
            Message::Previewed(id, lines) => picker.previewed(id, lines),
            Message::Found(words, ids) => picker.found(words, ids),
            _ => {}
        }
    }
}
