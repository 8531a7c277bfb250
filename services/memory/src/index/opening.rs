//! The folder of the lexical index: opened as it is, or begun anew.

use super::lexical::{Extent, Lexical};
use crate::error::unavailable;
use crate::folder::{clear, make_private, restrict};
use api::memory::Error;
use std::io;
use std::path::Path;

/// Opens the index of words, or begins it anew; the second part says why. An empty store has none
/// yet, and then there is nothing to say.
pub(super) fn open(folder: &Path, is_empty: bool) -> Result<(Lexical, String), Error> {
    let note = match opened(folder) {
        Ok(Some(lexical)) => {
            restrict(folder)?;
            let note = match lexical.state().extent {
                Extent::Whole => String::new(),
                Extent::Making => "made anew: it goes on where it was".to_owned(),
            };
            return Ok((lexical, note));
        }
        Ok(None) if is_empty => String::new(),
        Ok(None) => "made anew: there was no index".to_owned(),
        Err(why) => format!("made anew: {why}"),
    };
    create(folder).map(|lexical| (lexical, note))
}

/// The index, if everything in its folder is a file: opening a pipe would wait for ever.
fn opened(folder: &Path) -> Result<Option<Lexical>, String> {
    match std::fs::read_dir(folder) {
        Ok(files) => {
            for file in files {
                let file = file.map_err(|error| error.to_string())?;
                let kind = file.file_type().map_err(|error| error.to_string())?;
                if !kind.is_file() {
                    let name = file.file_name();
                    return Err(format!("{} is no file", name.to_string_lossy()));
                }
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error.to_string()),
    }
    Lexical::open(folder).map_err(|error| error.to_string())
}

/// An empty index in place of whatever was there.
pub(super) fn create(folder: &Path) -> Result<Lexical, Error> {
    let of = |error| unavailable(format!("{}", folder.display()), error);
    clear(folder).map_err(of)?;
    make_private(folder)?;
    let lexical = Lexical::create(folder);
    lexical.map_err(|error| unavailable("the index of words", error))
}
