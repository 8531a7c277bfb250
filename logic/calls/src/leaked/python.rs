//! Calls written as Python: `f(a=1, b="x")`, `[f(), g(a=[1, 2])]`, `print(f(x=1))`.
//!
//! Only literals are read: strings, numbers, `True`, `False`, `None`, lists, tuples and
//! dictionaries, after the grammar in The Python Language Reference, "Expressions". Names,
//! operators and comprehensions are not calls that a model could have meant for us.

use super::found::LeakedCall;
use super::input::{Input, Match};
use super::offered::Offered;
use domain::limits;
use serde_json::{Map, Number, Value};

/// Why a text is no literal.
enum Stop {
    /// It ends too early.
    End,
    /// It is something else.
    Other,
}

/// A call as written.
struct Written {
    name: String,
    positional: Vec<Value>,
    named: Map<String, Value>,
}

/// `[f(a=1), g()]`, all of it calls on offer.
pub(super) fn list(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    run(input, |reader| {
        reader.expect('[')?;
        let mut calls = Vec::new();
        loop {
            reader.space();
            if reader.eat(']') {
                return Ok(calls);
            }
            // Decided from the name alone, so that an ordinary list is not held back.
            reader.is_name_on_offer(offered)?;
            let written = reader.call()?;
            calls.push(offer(written, offered).ok_or(Stop::Other)?);
            reader.space();
            if !reader.eat(',') && reader.peek() != Some(']') {
                return Err(reader.stop());
            }
        }
    })
}

/// `f(a=1)`, also wrapped in `print(…)`, also several on lines of their own.
pub(super) fn statements(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let mut found = Vec::new();
    let mut taken = 0;
    loop {
        let rest = input.after(taken);
        let gap = rest.space();
        if rest.after(gap).text.is_empty() && !rest.is_last {
            return Match::More;
        }
        let first = rest.after(gap).text.chars().next();
        let starts_word = first.is_some_and(|c| c.is_alphabetic() || c == '_');
        if !starts_word {
            break;
        }
        match run(rest.after(gap), |reader| reader.statement(offered)) {
            Match::Yes(call, bytes) => {
                found.push(call);
                taken += gap + bytes;
            }
            Match::More => return Match::More,
            Match::No => break,
        }
    }
    if found.is_empty() {
        Match::No
    } else {
        Match::Yes(found, taken)
    }
}

/// One literal.
pub(super) fn literal(input: Input<'_>) -> Match<Value> {
    run(input, |reader| reader.value(0))
}

fn run<T>(input: Input<'_>, read: impl FnOnce(&mut Reader<'_>) -> Result<T, Stop>) -> Match<T> {
    let mut reader = Reader {
        text: input.text,
        at: 0,
    };
    match read(&mut reader) {
        Ok(found) => Match::Yes(found, reader.at),
        Err(Stop::End) => input.more(),
        Err(Stop::Other) => Match::No,
    }
}

fn offer(written: Written, offered: &Offered) -> Option<LeakedCall> {
    offered.call_from_python(&written.name, written.positional, written.named)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn stop(&self) -> Stop {
        if self.rest().is_empty() {
            Stop::End
        } else {
            Stop::Other
        }
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, c: char) -> bool {
        let is_there = self.peek() == Some(c);
        if is_there {
            self.at += c.len_utf8();
        }
        is_there
    }

    fn expect(&mut self, c: char) -> Result<(), Stop> {
        self.space();
        if self.eat(c) {
            Ok(())
        } else {
            Err(self.stop())
        }
    }

    /// A name with dots; the text must go on after it.
    fn name(&mut self) -> Result<String, Stop> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || "_.-".contains(c)))
            .ok_or(Stop::End)?;
        let name = rest.get(..end).unwrap_or_default();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(Stop::Other);
        }
        self.at += end;
        Ok(name.to_owned())
    }

    fn is_name_on_offer(&self, offered: &Offered) -> Result<(), Stop> {
        let mut ahead = Reader {
            text: self.text,
            at: self.at,
        };
        let name = ahead.name()?;
        if offered.has(call_name(&name)) {
            Ok(())
        } else {
            Err(Stop::Other)
        }
    }

    fn statement(&mut self, offered: &Offered) -> Result<LeakedCall, Stop> {
        let start = self.at;
        let name = self.name()?;
        let is_print = name == "print" && !offered.has("print");
        if is_print {
            self.expect('(')?;
            self.space();
        } else {
            self.at = start;
        }
        self.is_name_on_offer(offered)?;
        let call = offer(self.call()?, offered).ok_or(Stop::Other)?;
        if is_print {
            self.expect(')')?;
        }
        Ok(call)
    }

    fn call(&mut self) -> Result<Written, Stop> {
        let name = call_name(&self.name()?).to_owned();
        self.expect('(')?;
        let mut written = Written {
            name,
            positional: Vec::new(),
            named: Map::new(),
        };
        loop {
            self.space();
            if self.eat(')') {
                return Ok(written);
            }
            match self.keyword()? {
                Some(key) => {
                    let value = self.value(0)?;
                    written.named.insert(key, value);
                }
                None if written.named.is_empty() => written.positional.push(self.value(0)?),
                None => return Err(Stop::Other),
            }
            self.space();
            if !self.eat(',') && self.peek() != Some(')') {
                return Err(self.stop());
            }
        }
    }

    /// `key=`, if that is what comes next.
    fn keyword(&mut self) -> Result<Option<String>, Stop> {
        let first = self.peek().ok_or(Stop::End)?;
        if !first.is_alphabetic() && first != '_' {
            return Ok(None);
        }
        let start = self.at;
        let name = self.name()?;
        self.space();
        if self.eat('=') {
            self.space();
            return Ok(Some(name));
        }
        if self.rest().is_empty() {
            return Err(Stop::End);
        }
        self.at = start;
        Ok(None)
    }

    fn value(&mut self, depth: usize) -> Result<Value, Stop> {
        if depth > limits::JSON_DEPTH {
            return Err(Stop::Other);
        }
        self.space();
        match self.peek() {
            None => Err(Stop::End),
            Some('"' | '\'') => self.string().map(Value::String),
            Some('[') => self.sequence('[', ']', depth),
            Some('(') => self.sequence('(', ')', depth),
            Some('{') => self.dictionary(depth),
            Some(c) if c.is_ascii_digit() || "+-.".contains(c) => self.number(),
            Some(_) => self.word(),
        }
    }

    fn word(&mut self) -> Result<Value, Stop> {
        match self.name()?.as_str() {
            "True" | "true" => Ok(Value::Bool(true)),
            "False" | "false" => Ok(Value::Bool(false)),
            "None" | "null" => Ok(Value::Null),
            _ => Err(Stop::Other),
        }
    }

    fn number(&mut self) -> Result<Value, Stop> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || "+-._".contains(c)))
            .ok_or(Stop::End)?;
        let digits = rest.get(..end).unwrap_or_default().replace('_', "");
        self.at += end;
        if let Ok(whole) = digits.parse::<i64>() {
            return Ok(Value::from(whole));
        }
        let fraction = digits.parse::<f64>().map_or(None, Number::from_f64);
        fraction.map(Value::Number).ok_or(Stop::Other)
    }

    fn sequence(&mut self, open: char, close: char, depth: usize) -> Result<Value, Stop> {
        self.expect(open)?;
        let mut all = Vec::new();
        loop {
            self.space();
            if self.eat(close) {
                return Ok(Value::Array(all));
            }
            all.push(self.value(depth + 1)?);
            self.space();
            if !self.eat(',') && self.peek() != Some(close) {
                return Err(self.stop());
            }
        }
    }

    fn dictionary(&mut self, depth: usize) -> Result<Value, Stop> {
        self.expect('{')?;
        let mut all = Map::new();
        loop {
            self.space();
            if self.eat('}') {
                return Ok(Value::Object(all));
            }
            let key = self.string()?;
            self.expect(':')?;
            let value = self.value(depth + 1)?;
            all.insert(key, value);
            self.space();
            if !self.eat(',') && self.peek() != Some('}') {
                return Err(self.stop());
            }
        }
    }

    fn string(&mut self) -> Result<String, Stop> {
        let quote = self
            .peek()
            .filter(|c| "\"'".contains(*c))
            .ok_or_else(|| self.stop())?;
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        // Two quotes at the very end may be an empty string or the start of a long one.
        if self.rest().len() < 3 && triple.starts_with(self.rest()) {
            return Err(Stop::End);
        }
        let close = if self.rest().starts_with(&triple) {
            triple
        } else {
            quote.to_string()
        };
        self.at += close.len();
        let mut read = String::new();
        loop {
            if self.rest().starts_with(&close) {
                self.at += close.len();
                return Ok(read);
            }
            let c = self.peek().ok_or(Stop::End)?;
            self.at += c.len_utf8();
            match c {
                '\\' => self.escape(&mut read)?,
                '\n' if close.len() == 1 => return Err(Stop::Other),
                other => read.push(other),
            }
        }
    }

    fn escape(&mut self, read: &mut String) -> Result<(), Stop> {
        let c = self.peek().ok_or(Stop::End)?;
        self.at += c.len_utf8();
        match c {
            'n' => read.push('\n'),
            't' => read.push('\t'),
            'r' => read.push('\r'),
            '\n' => {}
            '\\' | '\'' | '"' | '/' => read.push(c),
            'x' | 'u' => {
                let digits = if c == 'x' { 2 } else { 4 };
                let hex = self.rest().get(..digits).ok_or(Stop::End)?;
                let code = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
                read.push(code.ok_or(Stop::Other)?);
                self.at += digits;
            }
            other => {
                read.push('\\');
                read.push(other);
            }
        }
        Ok(())
    }
}

/// Llama writes `name.call(…)` for its built-in tools.
fn call_name(name: &str) -> &str {
    name.strip_suffix(".call").unwrap_or(name)
}
