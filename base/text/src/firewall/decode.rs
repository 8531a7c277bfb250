//! Texts that are written in another alphabet, order or code.

use super::fold::{View, fold_from, place};
use std::ops::Range;

/// Shortest run of an encoding that is decoded, characters.
const SHORTEST_RUN: usize = 16;

type Piece = (char, Range<u32>);

/// Every way to read `text` other than as it stands, that the text itself suggests, and how much
/// heavier what it says weighs: nobody hides a harmless remark to an AI.
pub(super) fn views(text: &str) -> Vec<(View, u32)> {
    let pieces: Vec<Piece> = text
        .char_indices()
        .map(|(at, c)| (c, place(at, c)))
        .collect();
    let readings = [
        (tags(&pieces), 2),
        (leet(&pieces), 1),
        (unspaced(&pieces), 1),
        (rotated(&pieces, text), 1),
        (reversed(&pieces, text), 1),
        (escapes(&pieces), 1),
        (runs(text), 2),
    ];
    let present = readings
        .into_iter()
        .filter(|(reading, _)| reading.len() >= 12);
    present
        .map(|(reading, factor)| (fold_from(reading.into_iter()), factor))
        .collect()
}

/// Unicode tag characters, which mirror ASCII invisibly.
fn tags(pieces: &[Piece]) -> Vec<Piece> {
    let hidden = pieces.iter().filter_map(|(c, at)| {
        let plain = u32::from(*c).checked_sub(0xe0000)?;
        let plain = u8::try_from(plain).ok().filter(u8::is_ascii)?;
        (plain >= 0x20).then(|| (char::from(plain), at.clone()))
    });
    hidden.collect()
}

/// Digits and signs read as the letters they resemble, where words mix both.
fn leet(pieces: &[Piece]) -> Vec<Piece> {
    let mixed = words(pieces)
        .filter(|word| word.len() > 2 && is_leet(word))
        .count();
    if mixed < 3 {
        return Vec::new();
    }
    let read = |c: char| match c {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' | '+' => 't',
        _ => c,
    };
    pieces
        .iter()
        .map(|(c, at)| (read(*c), at.clone()))
        .collect()
}

fn words(pieces: &[Piece]) -> impl Iterator<Item = &[Piece]> {
    pieces.split(|(c, _)| c.is_whitespace())
}

fn is_leet(word: &[Piece]) -> bool {
    let word = word.iter().map(|(c, _)| *c);
    let (mut letters, mut signs) = (0, 0);
    for c in word {
        letters += usize::from(c.is_ascii_alphabetic());
        signs += usize::from("013457@$".contains(c));
    }
    letters > 0 && signs > 0 && signs <= letters * 2
}

/// Letters with a space, dot or dash between each two.
fn unspaced(pieces: &[Piece]) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let (mut joined, mut at) = (0, 0);
    let is_letter = |i: usize| pieces.get(i).is_some_and(|(c, _)| c.is_alphanumeric());
    let is_gap = |i: usize| {
        pieces
            .get(i)
            .is_some_and(|(c, _)| " .-_*\u{a0}".contains(*c))
    };
    while let Some(piece) = pieces.get(at) {
        let alone = is_letter(at) && (at == 0 || !is_letter(at - 1)) && !is_letter(at + 1);
        out.push(piece.clone());
        // A single letter, one gap, and again a single letter: the gap goes.
        let next_alone = is_gap(at + 1) && is_letter(at + 2) && !is_letter(at + 3);
        if alone && next_alone {
            joined += 1;
            at += 1;
        }
        at += 1;
    }
    if joined < 5 { Vec::new() } else { out }
}

/// ROT13, where it turns up common words.
fn rotated(pieces: &[Piece], text: &str) -> Vec<Piece> {
    let common = ["gur", "naq", "lbh", "lbhe", "bs", "nyy", "gb", "vf", "zr"];
    if !has_common(text, &common) {
        return Vec::new();
    }
    let turn = |c: char| match c {
        'a'..='m' | 'A'..='M' => char::from_u32(u32::from(c) + 13).unwrap_or(c),
        'n'..='z' | 'N'..='Z' => char::from_u32(u32::from(c) - 13).unwrap_or(c),
        _ => c,
    };
    pieces
        .iter()
        .map(|(c, at)| (turn(*c), at.clone()))
        .collect()
}

fn reversed(pieces: &[Piece], text: &str) -> Vec<Piece> {
    let common = ["eht", "dna", "uoy", "ruoy", "fo", "lla", "ot", "si", "era"];
    if !has_common(text, &common) {
        return Vec::new();
    }
    pieces.iter().rev().cloned().collect()
}

fn has_common(text: &str, common: &[&str]) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| common.iter().any(|c| word.eq_ignore_ascii_case(c)))
        .take(2)
        .count()
        == 2
}

/// `%41`, `\x41`, `\u0041`, `&#65;` and `&#x41;` read as characters.
fn escapes(pieces: &[Piece]) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    let (mut at, mut found) = (0, 0);
    while let Some((c, place)) = pieces.get(at) {
        let (value, length) = match escape_at(&pieces[at..]) {
            Some((value, length)) => {
                found += 1;
                (value, length)
            }
            None => (*c, 1),
        };
        let end = pieces.get(at + length - 1).map_or(place.end, |p| p.1.end);
        out.push((value, place.start..end));
        at += length;
    }
    if found < 3 { Vec::new() } else { out }
}

fn escape_at(pieces: &[Piece]) -> Option<(char, usize)> {
    let c = |i: usize| pieces.get(i).map(|p| p.0);
    let number = |from: usize, digits: usize, radix: u32| {
        let digits = (from..from + digits).map(|i| c(i).and_then(|d| d.to_digit(radix)));
        let value = digits.collect::<Option<Vec<u32>>>()?;
        let value = value
            .iter()
            .fold(0_u32, |sum, d| sum.wrapping_mul(radix) + d);
        char::from_u32(value).filter(|c| !c.is_control() || *c == '\n')
    };
    match (c(0)?, c(1)?) {
        ('%', _) => number(1, 2, 16).map(|value| (value, 3)),
        ('\\', 'x') => number(2, 2, 16).map(|value| (value, 4)),
        ('\\', 'u') => number(2, 4, 16).map(|value| (value, 6)),
        ('&', '#') => {
            let (from, radix) = if matches!(c(2)?, 'x' | 'X') {
                (3, 16)
            } else {
                (2, 10)
            };
            let digits = (from..from + 6)
                .take_while(|i| c(*i).is_some_and(|d| d.is_digit(radix)))
                .count();
            let closes = c(from + digits)? == ';' && digits > 0;
            let value = number(from, digits, radix).filter(|_| closes)?;
            Some((value, from + digits + 1))
        }
        _ => None,
    }
}

/// The readable contents of base64, base32, hexadecimal and binary runs, one after the other.
fn runs(text: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut taken = 0;
    for (start, run) in encoded_runs(text) {
        if start < taken {
            continue;
        }
        if let Some(plain) = decoded(run) {
            taken = start + run.len();
            let whole = place(start, 'x').start..place(taken, 'x').start;
            out.extend(plain.chars().map(|c| (c, whole.clone())));
            out.push(('\n', whole.clone()));
            out.push(('\n', whole));
        }
    }
    out
}

/// Runs of characters that one of the codes is made of.
fn encoded_runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_code = |c: char| c.is_ascii_alphanumeric() || "+/=-_".contains(c);
    let single = pieces_of(text, move |c| !is_code(c));
    // Bytes in groups: "01001001 01100111", "49 67 6e".
    let grouped = pieces_of(text, |c| !(c.is_ascii_hexdigit() || c == ' '));
    let grouped = grouped.filter(|(_, run)| {
        let mut groups = run.split(' ').filter(|group| !group.is_empty());
        let first = groups.next().map_or(0, str::len);
        matches!(first, 2 | 8) && groups.all(|group| group.len() == first)
    });
    single.chain(grouped)
}

fn pieces_of(
    text: &str,
    is_other: impl Fn(char) -> bool + Copy,
) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    let pieces = text.split_inclusive(is_other);
    pieces
        .map(move |piece| {
            let start = next;
            next += piece.len();
            (start, piece)
        })
        .map(move |(start, piece)| (start, piece.strip_suffix(is_other).unwrap_or(piece)))
        .filter(|(_, run)| run.len() >= SHORTEST_RUN)
}

fn decoded(run: &str) -> Option<String> {
    let bits = run.bytes().all(|b| matches!(b, b'0' | b'1' | b' '));
    let readings = [
        if bits { digits(run, 2, 8) } else { None },
        digits(run, 16, 2),
        base(run, 5, |b| match b {
            b'A'..=b'Z' => Some(b - b'A'),
            b'2'..=b'7' => Some(b - b'2' + 26),
            _ => None,
        }),
        base(run, 6, |b| match b {
            b'A'..=b'Z' => Some(b - b'A'),
            b'a'..=b'z' => Some(b - b'a' + 26),
            b'0'..=b'9' => Some(b - b'0' + 52),
            b'+' | b'-' => Some(62),
            b'/' | b'_' => Some(63),
            _ => None,
        }),
    ];
    readings.into_iter().flatten().find_map(readable)
}

fn digits(run: &str, radix: u32, each: usize) -> Option<Vec<u8>> {
    let values = run.bytes().filter(|b| *b != b' ');
    let values = values.map(|b| char::from(b).to_digit(radix));
    let values = values.collect::<Option<Vec<u32>>>()?;
    let bytes = values.chunks_exact(each).map(|chunk| {
        let value = chunk.iter().fold(0, |sum, digit| sum * radix + digit);
        u8::try_from(value).unwrap_or(0)
    });
    Some(bytes.collect())
}

fn base(run: &str, bits: u32, value: impl Fn(u8) -> Option<u8>) -> Option<Vec<u8>> {
    let (mut out, mut buffer, mut held) = (Vec::new(), 0_u32, 0);
    for byte in run.trim_end_matches('=').bytes() {
        buffer = (buffer << bits) | u32::from(value(byte)?);
        held += bits;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from((buffer >> held) & 0xff).unwrap_or(0));
        }
        buffer &= (1 << held) - 1;
    }
    Some(out)
}

/// Text that a person could read: letters and spaces, hardly anything else.
fn readable(bytes: Vec<u8>) -> Option<String> {
    let Ok(text) = String::from_utf8(bytes) else {
        return None;
    };
    let plain = |c: char| c.is_alphanumeric() || c.is_whitespace() || c.is_ascii_punctuation();
    let total = text.chars().count();
    let fair = text.chars().filter(|c| plain(*c)).count();
    let spaced = text.contains(' ');
    (total >= 8 && spaced && fair * 20 >= total * 19).then_some(text)
}
