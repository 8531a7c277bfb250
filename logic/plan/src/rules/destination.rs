//! Where a file goes that is moved or renamed.

use super::words::is_file;

/// Where a moved file goes: into the folder that was meant, or to the new name beside the old one.
pub fn destination(from: &str, to: &str, how: Destination) -> String {
    let name = from
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(from);
    match how {
        Destination::Folder => format!("{}/{name}", to.trim_end_matches('/')),
        Destination::NameBeside if !to.contains('/') => match from.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{to}"),
            None => to.to_owned(),
        },
        // A bare word without an extension, for a file with one, is where people put it.
        Destination::Unsaid if is_file(from) && !is_file(to) && !to.contains('/') => {
            format!("{to}/{name}")
        }
        Destination::NameBeside | Destination::Unsaid => to.to_owned(),
    }
}

/// How a move names where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    /// As a folder.
    Folder,
    /// As a new name.
    NameBeside,
    /// It does not say.
    Unsaid,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_goes_into_folders_and_a_rename_stays_beside() {
        assert_eq!(destination("a/b.txt", "c", Destination::Folder), "c/b.txt");
        assert_eq!(
            destination("a/b.txt", "c.txt", Destination::NameBeside),
            "a/c.txt"
        );
        assert_eq!(
            destination("b.txt", "archive", Destination::Unsaid),
            "archive/b.txt"
        );
        assert_eq!(destination("b.txt", "c.txt", Destination::Unsaid), "c.txt");
        assert_eq!(
            destination("notes", "papers", Destination::Unsaid),
            "papers"
        );
    }
}
