//! Vi keys in the input: a normal mode beside the one in which letters are typed. It changes the draft and
//! nothing else.

use ratatui_textarea::{CursorMove, TextArea};

/// Largest count before a command.
const COUNT: usize = 999;
/// Most states of the draft that `u` goes back to.
const UNDONE: usize = 100;

/// What the help says of the keys of the normal mode.
pub const NAMED: [(&str, &str); 8] = [
    ("Esc", "from typing into this mode; here as everywhere"),
    (
        "h j k l w b e",
        "move; with a count before them, as all below",
    ),
    ("0 ^ $ gg G", "to the ends of the line and of the text"),
    ("i I a A o O", "type letters again"),
    ("x D dd d…", "delete: d with h l w b e 0 ^ $"),
    ("C cc c…, yy y…", "change, take along"),
    ("p, u", "put in what was deleted or taken along; undo"),
    ("/", "in panes: search"),
];

/// Which keys edit the draft.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Editing {
    /// Those of the table, which are like those of Emacs and shells.
    #[default]
    Emacs,
    /// These as well, and a normal mode as in vi.
    Vi,
}

/// What a letter does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It is typed.
    Insert,
    /// It is a command.
    Normal,
}

/// A draft as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Before {
    lines: Vec<String>,
    cursor: (usize, usize),
}

/// What `p` puts in.
#[derive(Debug, Clone, Default)]
struct Register {
    text: String,
    /// Whether it is whole lines.
    is_lines: bool,
}

/// A command that waits for what it is about: `d`, `c` or `y`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Delete,
    Change,
    Yank,
}

/// The vi keys and what they have in mind.
#[derive(Debug)]
pub struct Vi {
    mode: Mode,
    count: usize,
    operator: Option<Operator>,
    /// Whether a `g` was typed that waits for another.
    is_going: bool,
    register: Register,
    undone: Vec<Before>,
    /// The draft as it was when letters began to be typed.
    begun: Before,
}

fn state(area: &TextArea<'static>) -> Before {
    let cursor = area.cursor();
    Before {
        lines: area.lines().to_vec(),
        cursor: (cursor.0, cursor.1),
    }
}

fn go_to(area: &mut TextArea<'static>, (row, column): (usize, usize)) {
    let short = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
    area.move_cursor(CursorMove::Jump(short(row), short(column)));
}

/// The number of the cursor's line, and of its character there.
fn place(area: &TextArea<'static>) -> (usize, usize) {
    let cursor = area.cursor();
    (cursor.0, cursor.1)
}

fn length(area: &TextArea<'static>, row: usize) -> usize {
    area.lines().get(row).map_or(0, |line| line.chars().count())
}

impl Vi {
    /// At a draft into which letters are typed.
    #[must_use]
    pub fn at(area: &TextArea<'static>) -> Self {
        Self {
            mode: Mode::Insert,
            count: 0,
            operator: None,
            is_going: false,
            register: Register::default(),
            undone: Vec::new(),
            begun: state(area),
        }
    }

    /// Another draft begins, into which letters are typed.
    pub fn begin(&mut self, area: &TextArea<'static>) {
        let mut register = std::mem::take(&mut self.register);
        // A control character stands for a long paste of that draft alone.
        if register
            .text
            .chars()
            .any(|one| one.is_control() && one != '\n')
        {
            register = Register::default();
        }
        *self = Self {
            register,
            ..Self::at(area)
        };
    }

    /// What a letter does.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Letters are commands from now on.
    pub fn leave_insert(&mut self, area: &mut TextArea<'static>) {
        if self.mode == Mode::Normal {
            return;
        }
        self.mode = Mode::Normal;
        let begun = self.begun.clone();
        if begun.lines != area.lines() {
            self.keep(begun);
        }
        let (row, column) = place(area);
        go_to(area, (row, column.saturating_sub(1)));
    }

    /// Whether something was begun with keys before, which is forgotten.
    pub fn forget(&mut self) -> bool {
        let is_begun = self.count > 0 || self.operator.is_some() || self.is_going;
        (self.count, self.operator, self.is_going) = (0, None, false);
        is_begun
    }

    fn keep(&mut self, before: Before) {
        if self.undone.len() >= UNDONE {
            self.undone.remove(0);
        }
        self.undone.push(before);
    }

    fn insert(&mut self, area: &TextArea<'static>) {
        self.mode = Mode::Insert;
        self.begun = state(area);
    }

    /// A letter in normal mode.
    pub fn command(&mut self, letter: char, area: &mut TextArea<'static>) {
        if let Some(digit) = letter
            .to_digit(10)
            .filter(|digit| *digit > 0 || self.count > 0)
        {
            let digit = usize::try_from(digit).unwrap_or(0);
            self.count = (self.count * 10 + digit).min(COUNT);
            return;
        }
        if letter == 'g' && !self.is_going {
            self.is_going = true;
            return;
        }
        let (count, operator) = (self.count, self.operator);
        let is_going = self.is_going;
        self.forget();
        if is_going && letter != 'g' {
            return;
        }
        match operator {
            Some(operator) => self.operate(operator, (letter, count.max(1)), area),
            None => self.act((letter, count), area),
        }
        if self.mode == Mode::Normal {
            // The cursor stands on a character, not behind the last.
            let (row, column) = place(area);
            let last = length(area, row).saturating_sub(1);
            go_to(area, (row, column.min(last)));
        }
    }

    fn act(&mut self, (letter, count): (char, usize), area: &mut TextArea<'static>) {
        let times = count.max(1);
        match letter {
            'd' | 'c' | 'y' => {
                self.count = count;
                self.operator = Some(match letter {
                    'd' => Operator::Delete,
                    'c' => Operator::Change,
                    _ => Operator::Yank,
                });
            }
            'g' => go_to(area, (count.saturating_sub(1), 0)),
            'G' => {
                let last = area.lines().len() - 1;
                let row = if count == 0 {
                    last
                } else {
                    (count - 1).min(last)
                };
                go_to(area, (row, 0));
            }
            'x' => {
                let (row, column) = place(area);
                let to = (column + times).min(length(area, row));
                self.cut(((row, column), (row, to)), area);
            }
            'D' => self.operate(Operator::Delete, ('$', 1), area),
            'C' => self.operate(Operator::Change, ('$', 1), area),
            'u' => {
                for _ in 0..times {
                    let Some(before) = self.undone.pop() else {
                        break;
                    };
                    *area = TextArea::new(before.lines);
                    go_to(area, before.cursor);
                }
            }
            'p' => self.put(area),
            'i' | 'I' | 'a' | 'A' | 'o' | 'O' => self.begin_insert(letter, area),
            motion => {
                moved(motion, times, area);
            }
        }
    }

    fn begin_insert(&mut self, letter: char, area: &mut TextArea<'static>) {
        self.insert(area);
        let (row, column) = place(area);
        match letter {
            'I' => {
                moved('^', 1, area);
            }
            'a' => go_to(area, (row, (column + 1).min(length(area, row)))),
            'A' => area.move_cursor(CursorMove::End),
            'o' => {
                area.move_cursor(CursorMove::End);
                area.insert_newline();
            }
            'O' => {
                area.move_cursor(CursorMove::Head);
                area.insert_newline();
                area.move_cursor(CursorMove::Up);
            }
            _ => {}
        }
    }

    /// A motion, or the letter of the operator again for whole lines.
    fn operate(
        &mut self,
        operator: Operator,
        (letter, count): (char, usize),
        area: &mut TextArea<'static>,
    ) {
        let from = place(area);
        let is_lines = matches!(
            (operator, letter),
            (Operator::Delete, 'd') | (Operator::Change, 'c') | (Operator::Yank, 'y')
        );
        if is_lines {
            let to = (from.0 + count - 1).min(area.lines().len() - 1);
            return self.lines(operator, (from.0, to), area);
        }
        // As in vi, a word is changed without the space behind it.
        let letter = match (operator, letter) {
            (Operator::Change, 'w') => 'e',
            (_, letter) => letter,
        };
        if !matches!(letter, 'h' | 'l' | 'w' | 'b' | 'e' | '0' | '^' | '$')
            || !moved(letter, count, area)
        {
            return;
        }
        let mut to = place(area);
        if letter == 'e' {
            to.1 += 1;
        }
        if letter == '$' || to.0 > from.0 && letter == 'w' {
            // The end of a line is not taken along.
            to = (from.0, length(area, from.0));
        }
        let (from, to) = if to < from { (to, from) } else { (from, to) };
        match operator {
            Operator::Yank => {
                self.register = register(area, (from, to));
                go_to(area, from);
            }
            Operator::Delete => self.cut((from, to), area),
            Operator::Change => {
                self.insert(area);
                self.take_out((from, to), area);
            }
        }
    }

    /// Whole lines, from one to another.
    fn lines(
        &mut self,
        operator: Operator,
        (from, to): (usize, usize),
        area: &mut TextArea<'static>,
    ) {
        let taken = area.lines().get(from..=to).unwrap_or_default().join("\n");
        let register = Register {
            text: taken,
            is_lines: true,
        };
        let end = (to, length(area, to));
        match operator {
            Operator::Yank => {}
            Operator::Change => {
                self.insert(area);
                self.take_out(((from, 0), end), area);
            }
            Operator::Delete => {
                let is_last = to + 1 >= area.lines().len();
                let range = match (is_last, from) {
                    (true, 0) => ((0, 0), end),
                    (true, from) => ((from - 1, length(area, from - 1)), end),
                    (false, from) => ((from, 0), (to + 1, 0)),
                };
                self.cut(range, area);
                area.move_cursor(CursorMove::Head);
            }
        }
        self.register = register;
    }

    fn cut(&mut self, range: ((usize, usize), (usize, usize)), area: &mut TextArea<'static>) {
        if range.0 != range.1 {
            self.keep(state(area));
            self.take_out(range, area);
        }
    }

    fn take_out(
        &mut self,
        (from, to): ((usize, usize), (usize, usize)),
        area: &mut TextArea<'static>,
    ) {
        self.register = register(area, (from, to));
        go_to(area, from);
        if from != to {
            area.start_selection();
            go_to(area, to);
            area.cut();
        }
    }

    /// Puts in what was cut or yanked: behind the cursor, or lines below its line.
    fn put(&mut self, area: &mut TextArea<'static>) {
        if self.register.text.is_empty() {
            return;
        }
        self.keep(state(area));
        let (row, column) = place(area);
        match self.register.is_lines {
            true => {
                area.move_cursor(CursorMove::End);
                area.insert_str(format!("\n{}", self.register.text));
                go_to(area, (row + 1, 0));
            }
            false => {
                go_to(area, (row, (column + 1).min(length(area, row))));
                area.insert_str(&self.register.text);
                area.move_cursor(CursorMove::Back);
            }
        }
    }

    /// Takes the last change back, which made the draft too long.
    pub fn take_back(&mut self, area: &mut TextArea<'static>) {
        if let Some(before) = self.undone.pop() {
            *area = TextArea::new(before.lines);
            go_to(area, before.cursor);
        }
    }
}

/// The text from one place up to another.
fn register(area: &TextArea<'static>, (from, to): ((usize, usize), (usize, usize))) -> Register {
    let lines = area.lines().iter().enumerate();
    let lines = lines.skip(from.0).take(to.0 + 1 - from.0);
    let parts = lines.map(|(row, line)| {
        let end = if row == to.0 { to.1 } else { usize::MAX };
        let start = if row == from.0 { from.1 } else { 0 };
        let letters = line.chars().take(end).skip(start);
        letters.collect::<String>()
    });
    Register {
        text: parts.collect::<Vec<_>>().join("\n"),
        is_lines: false,
    }
}

/// Moves the cursor; whether the letter is a motion.
fn moved(letter: char, times: usize, area: &mut TextArea<'static>) -> bool {
    for _ in 0..times {
        let (row, column) = place(area);
        match letter {
            'h' => go_to(area, (row, column.saturating_sub(1))),
            'l' => go_to(area, (row, (column + 1).min(length(area, row)))),
            'j' => area.move_cursor(CursorMove::Down),
            'k' => area.move_cursor(CursorMove::Up),
            'w' => area.move_cursor(CursorMove::WordForward),
            'b' => area.move_cursor(CursorMove::WordBack),
            'e' => area.move_cursor(CursorMove::WordEnd),
            '0' => area.move_cursor(CursorMove::Head),
            '$' => area.move_cursor(CursorMove::End),
            '^' => {
                let line = area.lines().get(row);
                let spaces = line.map(|line| line.chars().take_while(|one| *one == ' ').count());
                go_to(area, (row, spaces.unwrap_or(0)));
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a draft comes to by these keys, which begin in normal mode at its first character.
    fn after(draft: &str, keys: &str) -> String {
        let mut area = TextArea::new(draft.split('\n').map(str::to_owned).collect());
        let mut vi = Vi::at(&area);
        vi.leave_insert(&mut area);
        for key in keys.chars() {
            match (vi.mode(), key) {
                (Mode::Insert, '.') => vi.leave_insert(&mut area),
                (Mode::Insert, key) => area.insert_char(key),
                (Mode::Normal, key) => vi.command(key, &mut area),
            }
        }
        let mut lines = area.lines().to_vec();
        let (row, column) = place(&area);
        let line = &mut lines[row];
        let at = line.char_indices().nth(column);
        line.insert(at.map_or(line.len(), |(at, _)| at), '|');
        lines.join("\n")
    }

    #[test]
    fn commands_do_what_they_do_in_vi() {
        for (draft, keys, expected) in [
            ("one two", "l", "o|ne two"),
            ("one two", "9l", "one tw|o"),
            ("one two", "$h", "one t|wo"),
            ("one two", "w", "one |two"),
            ("one two three", "2w", "one two |three"),
            ("one two", "$b", "one |two"),
            ("one two", "e", "on|e two"),
            ("  one", "$^", "  |one"),
            ("one\ntwo\nthree", "jj", "one\ntwo\n|three"),
            ("one\ntwo\nthree", "Gk", "one\n|two\nthree"),
            ("one\ntwo\nthree", "G", "one\ntwo\n|three"),
            ("one\ntwo\nthree", "2G", "one\n|two\nthree"),
            ("one\ntwo\nthree", "Ggg", "|one\ntwo\nthree"),
            ("one two", "x", "|ne two"),
            ("one two", "3x", "| two"),
            ("one", "$x", "o|n"),
            ("one\ntwo\nthree", "dd", "|two\nthree"),
            ("one\ntwo\nthree", "2dd", "|three"),
            ("one\ntwo", "jdd", "|one"),
            ("one", "dd", "|"),
            ("one two", "wD", "one| "),
            ("one two", "dw", "|two"),
            ("one two\nthree", "wdw", "one| \nthree"),
            ("one two", "$db", "one |o"),
            ("one two", "de", "| two"),
            ("one two", "wCx", "one x|"),
            ("one two", "cwx.", "|x two"),
            ("one\ntwo", "ccx", "x|\ntwo"),
            ("one", "iX", "X|one"),
            ("  one", "$IX", "  X|one"),
            ("one", "aX", "oX|ne"),
            ("one", "AX", "oneX|"),
            ("one\ntwo", "oX", "one\nX|\ntwo"),
            ("one\ntwo", "jOX", "one\nX|\ntwo"),
            ("one\ntwo", "yyp", "one\n|one\ntwo"),
            ("one\ntwo", "ddp", "two\n|one"),
            ("one two", "yep", "oon|ene two"),
            ("ab", "xp", "b|a"),
            ("one two", "xu", "|one two"),
            ("one", "AX.u", "|one"),
            ("one", "xxuu", "|one"),
            ("one", "u", "|one"),
            ("one", "dzx", "|ne"),
            ("one", "gzx", "|ne"),
            ("", "xddDpu", "|"),
            ("日本語", "lx", "日|語"),
        ] {
            assert_eq!(after(draft, keys), expected, "{keys} in {draft:?}");
        }
    }

    #[test]
    fn counts_and_states_have_their_limits() {
        let mut area = TextArea::new(vec!["x".repeat(2_000)]);
        let mut vi = Vi::at(&area);
        vi.leave_insert(&mut area);
        for key in "99999x".chars() {
            vi.command(key, &mut area);
        }
        assert_eq!(area.lines()[0].len(), 2_000 - COUNT);
        for _ in 0..UNDONE + 20 {
            vi.command('x', &mut area);
        }
        assert_eq!(vi.undone.len(), UNDONE);
    }
}
