//! A request's text in parts: its clauses and words, without what is quoted or pasted.

/// Most words of a request that are looked at.
pub(super) const WORDS: usize = 20_000;

/// The clauses of a text, each with the mark that ends it. Marks within names, addresses, numbers
/// and quotations end none, but a full stop between a word and one with a capital does.
pub(super) fn cut(text: &str) -> Vec<(&str, char)> {
    let quotes = crate::flow::quoted(text);
    // They stand in order and none within another.
    let is_quoted = |at: usize| {
        let first = quotes.partition_point(|quote| quote.end <= at);
        quotes.get(first).is_some_and(|quote| quote.start <= at)
    };
    let mut found = Vec::new();
    let mut from = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_glued = c == '.'
            && next.is_some_and(char::is_uppercase)
            && text
                .get(..at)
                .is_some_and(|before| before.ends_with(char::is_lowercase));
        let ends_word = next.is_none_or(|next| !next.is_alphanumeric() && next != '/') || is_glued;
        let ends = c == '\n' || matches!(c, '.' | '!' | '?' | ';' | ':') && ends_word;
        if ends && !is_quoted(at) {
            found.push((text.get(from..at).unwrap_or(""), c));
            from = at + c.len_utf8();
        }
    }
    found.push((text.get(from..).unwrap_or(""), '.'));
    found
}

/// A request up to where something else begins that the user may only have pasted: behind a colon
/// that opens no list, after an empty line, at a fence, a quoted or an indented line.
pub(super) fn without_pasted(request: &str) -> &str {
    let mut end = 0;
    for line in request.split_inclusive('\n') {
        let is_pasted = line.starts_with('>') || line.trim_start().starts_with("```");
        let is_set_off = end > 0 && (line.trim().is_empty() || line.starts_with(['\t', '>']));
        if is_pasted || is_set_off {
            break;
        }
        if let Some(colon) = content_behind(line) {
            return request.get(..end + colon).unwrap_or(request);
        }
        end += line.len();
    }
    request.get(..end).unwrap_or(request)
}

/// Where a line goes on with content: behind a colon that neither stands within a word or a
/// quotation nor opens a list.
pub(super) fn content_behind(line: &str) -> Option<usize> {
    let quotes = crate::flow::quoted(line);
    let colons = line.match_indices(':').map(|(at, _)| at);
    let mut content = colons.filter(|at| {
        let rest = line.get(at + 1..).unwrap_or("");
        let is_in_word = !rest.is_empty() && !rest.starts_with(char::is_whitespace);
        let rest = rest.trim_start();
        let opens_list = rest
            .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '*' | '\'' | '"' | '“'));
        let names_page = rest
            .split_whitespace()
            .next()
            .is_some_and(crate::flow::is_whole_lead);
        let is_quoted = quotes.iter().any(|quote| quote.contains(at));
        !is_in_word && !opens_list && !is_quoted && !names_page
    });
    content.next().map(|at| at + 1)
}

/// `let her know` as `tell her`.
pub(super) fn told(mut words: Vec<String>) -> Vec<String> {
    let is_told = |at: &usize| {
        words.get(*at).is_some_and(|word| word == "let")
            && words.get(at + 2).is_some_and(|word| word == "know")
    };
    let places: Vec<usize> = (0..words.len()).filter(is_told).collect();
    for at in places {
        if let Some(word) = words.get_mut(at) {
            "tell".clone_into(word);
        }
    }
    words
}

/// A word without the ending of a plural or a genitive.
pub(super) fn singular(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let is_es = ["ches", "shes", "xes", "sses"]
        .iter()
        .any(|end| word.ends_with(end));
    if is_es {
        return word.trim_end_matches("es").to_owned();
    }
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with('s') => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// A name's parts as words: `sendDirect_message` as `send Direct message`.
pub(super) fn spaced(name: &str) -> String {
    let mut out = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && was_lower {
            out.push(' ');
        }
        was_lower = c.is_lowercase();
        out.push(if matches!(c, '_' | '-' | '.') { ' ' } else { c });
    }
    out
}

/// The words of a text and the commas between them.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let parts = text.split(',').map(words_of);
    let mut found: Vec<String> = Vec::new();
    for (index, words) in parts.enumerate() {
        if index > 0 {
            found.push(",".to_owned());
        }
        found.extend(words);
    }
    found
}

pub(super) fn words_of(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-');
    let words = text
        .split(|c: char| !is_part(c))
        .filter(|word| !word.is_empty());
    let words = words.map(|word| word.trim_matches(['\'', '’', '-']).to_lowercase());
    words.filter(|word| !word.is_empty()).take(WORDS).collect()
}

/// A text with spaces for what it has in quotes: what is left stands where it stood.
pub(super) fn masked(text: &str) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut from = 0;
    for quote in crate::flow::quoted(text) {
        rest.push_str(text.get(from..quote.start).unwrap_or(""));
        rest.extend(std::iter::repeat_n(
            ' ',
            quote.end.saturating_sub(quote.start),
        ));
        from = quote.end;
    }
    rest.push_str(text.get(from..).unwrap_or(""));
    rest
}

/// The words of a text and the commas between them, each with where it begins.
pub(super) fn placed(text: &str) -> Vec<(String, usize)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-');
    let mut found = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (from, is_part(c)) {
            (None, true) => from = Some(at),
            (Some(start), false) => {
                let word = text.get(start..at).unwrap_or("");
                let word = word.trim_matches(['\'', '’', '-']).to_lowercase();
                found.extend((!word.is_empty()).then_some((word, start)));
                from = None;
            }
            (Some(_), true) | (None, false) => {}
        }
        if c == ',' {
            found.push((",".to_owned(), at));
        }
        if found.len() >= WORDS {
            break;
        }
    }
    found
}

/// A request without what it has in quotes.
pub(super) fn without_quotes(text: &str) -> String {
    let mut rest = String::new();
    let mut from = 0;
    for quote in crate::flow::quoted(text) {
        rest.push_str(text.get(from..quote.start).unwrap_or(""));
        rest.push(' ');
        from = quote.end;
    }
    rest.push_str(text.get(from..).unwrap_or(""));
    rest
}

/// How many opening tags a text may have whose closing ones are looked for; what stands behind more
/// of them is not read.
const TAGS: usize = 200;

/// A text with spaces for what is set off in it, as a quotation may be: between backticks, in
/// brackets, between tags, and behind a dash up to the end of the line. An address between angle
/// brackets stays.
pub(super) fn without_asides(text: &str) -> String {
    let last = ['`', ')', ']', '}', '>'].map(|close| (close, text.rfind(close)));
    let mut rest = String::with_capacity(text.len());
    let mut chars = text.char_indices();
    let mut tags = 0;
    while let Some((at, c)) = chars.next() {
        tags += usize::from(c == '<');
        if tags > TAGS {
            break;
        }
        let behind = text.get(at + c.len_utf8()..).unwrap_or("");
        let skipped = match closing(c) {
            Some(close)
                if last
                    .iter()
                    .any(|(of, place)| *of == close && *place > Some(at)) =>
            {
                aside(behind, close)
            }
            _ if is_dash(text, at, c) => behind.find('\n').or(Some(behind.len())),
            _ => None,
        };
        let Some(skipped) = skipped else {
            rest.push(c);
            continue;
        };
        rest.extend(std::iter::repeat_n(' ', skipped + 1));
        let end = at + c.len_utf8() + skipped;
        while chars.clone().next().is_some_and(|(next, _)| next < end) {
            let _inside = chars.next();
        }
    }
    rest
}

/// What closes the brackets that a character opens.
const fn closing(c: char) -> Option<char> {
    match c {
        '`' => Some('`'),
        '(' => Some(')'),
        '[' => Some(']'),
        '{' => Some('}'),
        '<' => Some('>'),
        _ => None,
    }
}

/// How long the text in brackets is that begins here; `None` where it is no aside.
fn aside(behind: &str, close: char) -> Option<usize> {
    let inside = behind.split_once(close)?.0;
    if inside.contains('@') && !inside.contains(' ') {
        return None;
    }
    // What stands between two tags is set off with them.
    let tagged = (close == '>').then(|| behind.find(&format!("</{inside}>")));
    Some(tagged.flatten().unwrap_or(inside.len()))
}

/// Whether a dash sets off what stands behind it: ` - `, ` — ` or `--`.
fn is_dash(text: &str, at: usize, c: char) -> bool {
    let is_edge = |c: Option<char>| matches!(c, Some(' ' | '-'));
    let behind = text.get(at + c.len_utf8()..).unwrap_or("");
    let before = text.get(..at).unwrap_or("");
    matches!(c, '—' | '–' | '-')
        && is_edge(behind.chars().next())
        && is_edge(before.chars().next_back())
}
