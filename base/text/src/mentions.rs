//! Names behind `@` in what a user types, as in `what is wrong in @src/main.rs?`.

/// What ends a sentence, and stands behind a name rather than in it.
pub const AFTER_A_NAME: [char; 9] = ['.', ',', ';', ':', '!', '?', ')', '"', '\''];

/// What stands behind each `@` that begins a word: to the next space, or to the quote's end. As in a
/// shell, and as terminals write a file that is dropped on them, a backslash takes the next character
/// as it is.
#[must_use]
pub fn names_in(text: &str) -> Vec<String> {
    let places = places_in(text).into_iter();
    places.map(|(name, _)| name).collect()
}

/// The same, each with what follows it.
#[must_use]
pub fn places_in(text: &str) -> Vec<(String, &str)> {
    let mut names = Vec::new();
    let mut before = ' ';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c == '@' && (before.is_whitespace() || before == '(') {
            let (name, after) = name_at(rest);
            names.push((name, after));
            rest = after;
            before = ' ';
        } else {
            before = c;
        }
    }
    names
}

/// The name that a text begins with, and what follows it.
fn name_at(text: &str) -> (String, &str) {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    if let Some(quote) = quote
        && let Some((name, after)) = text[1..].split_once(quote)
    {
        return (name.to_owned(), after);
    }
    let mut name = String::new();
    let mut characters = text.char_indices();
    let mut end = text.len();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => name.extend(characters.next().map(|(_, escaped)| escaped)),
            c if c.is_whitespace() => {
                end = at;
                break;
            }
            c => name.push(c),
        }
    }
    (name.trim_end_matches(AFTER_A_NAME).to_owned(), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_behind_an_at_sign_at_the_beginning_of_a_word() {
        let names = |text| names_in(text);
        assert_eq!(
            names("what is on @a.png, and @b/c.JPG?"),
            ["a.png", "b/c.JPG"]
        );
        assert_eq!(names("(@a.png) me@b.png"), ["a.png"]);
        assert_eq!(
            names("@'my shot.png' @my\\ shot.png"),
            ["my shot.png", "my shot.png"]
        );
        assert_eq!(names("@\"open.png"), ["\"open.png"]);
        assert_eq!(names("no picture @ all, @"), ["", ""]);
        assert_eq!(names("@a.png\\"), ["a.png"]);
    }
}
