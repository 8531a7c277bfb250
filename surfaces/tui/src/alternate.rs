//! The alternate screen: whole frames, beside the normal screen and its scrollback, which stay as they are.

use crate::modes;
use crate::screen::{Colours, Narrowed, Screen};
use crate::view::Frame;
use std::io::{self, Stdout, Write};

/// The alternate screen while it is shown.
#[derive(Debug)]
pub struct Alternate {
    screen: Screen<Stdout>,
}

impl Alternate {
    /// Turns to it.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn open(colours: Colours) -> io::Result<Self> {
        modes::open_alternate()?;
        let mut alternate = Self {
            screen: Screen::new(io::stdout(), colours, Narrowed::Cuts),
        };
        alternate.empty()?;
        Ok(alternate)
    }

    /// Draws in other colours from the next frame on, which has to be drawn anew.
    pub const fn turn_colours(&mut self, colours: Colours) {
        self.screen.turn_colours(colours);
    }

    /// Draws a frame as high as the terminal.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn draw(&mut self, frame: &Frame) -> io::Result<()> {
        self.screen.draw(&[], frame)
    }

    /// Draws the next frame anew, from the first row on.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn empty(&mut self) -> io::Result<()> {
        self.screen.forget();
        let mut out = io::stdout();
        out.write_all(b"\x1b[H\x1b[2J")?;
        out.flush()
    }

    /// Turns back to the normal screen.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub fn close(self) -> io::Result<()> {
        modes::close_alternate()
    }
}
