//! Numbers that count: `1. … 2. … 3.` or `Part 1: … Part 2: …` number the parts of a text and name
//! nothing.

/// Highest number that counts the parts of a text. Whoever goes on longer writes names.
const LAST: u8 = 99;

/// A number that a mark and a space follow.
struct Counted {
    start: usize,
    value: u8,
    mark: u8,
}

/// Where in a text in its normal form a number counts: it is followed by `.`, `)` or `:` and a
/// space, all smaller ones from 1 on stand before it in order with the same mark, and 1 has a 2
/// behind it. Sorted.
pub(super) fn counting(text: &str) -> Vec<usize> {
    let found = candidates(text);
    let mut reached = [0_u8; 3];
    let mut places = Vec::new();
    for (index, one) in found.iter().enumerate() {
        let Some(reached) = reached.get_mut(usize::from(one.mark)) else {
            continue;
        };
        let goes_on = || {
            let mut later = found.iter().skip(index + 1);
            later.any(|next| next.mark == one.mark && next.value == 2)
        };
        if one.value <= *reached + 1 && (one.value > 1 || *reached > 0 || goes_on()) {
            *reached = (*reached).max(one.value);
            places.push(one.start);
        }
    }
    places
}

fn candidates(text: &str) -> Vec<Counted> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        let opens = start == 0 || matches!(bytes[start - 1], b' ' | b'(' | b'\n');
        let mark = match bytes.get(at) {
            Some(b'.') => 0,
            Some(b')') => 1,
            Some(b':') => 2,
            _ => continue,
        };
        let value = text.get(start..at).and_then(|t| t.parse::<u8>().ok());
        if let Some(value) = value
            && opens
            && bytes[start] != b'0'
            && value <= LAST
            && bytes.get(at + 1) == Some(&b' ')
        {
            found.push(Counted { start, value, mark });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &str) -> Vec<&str> {
        let number = |start: usize| {
            let rest = &text[start..];
            let end = rest.find(|c: char| !c.is_ascii_digit());
            &rest[..end.unwrap_or(rest.len())]
        };
        counting(text).into_iter().map(number).collect()
    }

    #[test]
    fn a_series_from_one_on_counts() {
        let table: [(&str, &[&str]); 6] = [
            ("1. cut 2. fry 3. serve", &["1", "2", "3"]),
            ("part 1: cut part 2: fry", &["1", "2"]),
            ("1) a 2) b 2. c", &["1", "2"]),
            // Two lists in one text.
            (
                "1. a 2. b and then 1. c 2. d 3. e",
                &["1", "2", "1", "2", "3"],
            ),
            ("(1) a (2) b", &["1", "2"]),
            ("", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(counted(text), expected, "{text}");
        }
    }

    #[test]
    fn a_number_out_of_any_series_names_something() {
        for text in [
            "delete file 13. thanks",
            "delete file 1. thanks",
            "delete file 2. thanks, 1. is for me",
            "13: is the one",
            "1, 2, 3 and 4",
            "id 1 id 2 id 3",
            "07. x",
            "3. c 2. b",
            "see 1.2 and 1.3",
        ] {
            assert_eq!(counted(text), Vec::<&str>::new(), "{text}");
        }
        // One beyond the end of the series is no part of it.
        assert_eq!(counted("1. a 2. b 13. c"), ["1", "2"]);
        let long: String = (1..=120).map(|n| format!("{n}. x ")).collect();
        assert_eq!(counted(&long).len(), usize::from(LAST));
    }
}
