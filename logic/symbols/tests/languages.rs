//! A small file of each language, and its outline.
#![cfg(feature = "grammars")]
#![allow(clippy::unwrap_used, reason = "a test is allowed to fail loudly")]

use domain::limits::{SIGNATURE_CHARS, SOURCE_SYMBOLS};
use domain::source::{Language, Source, Symbol};

fn read(language: Language, text: &str) -> Vec<Symbol> {
    let text = text.to_owned();
    symbols::read(&Source { language, text }).unwrap()
}

/// The lines of an outline, indented, with the line in the file and what others refer to.
fn shown(language: Language, text: &str) -> String {
    let line = |symbol: &Symbol| {
        let indent = "  ".repeat(symbol.depth);
        format!("{indent}{} {}\n", symbol.line, symbol.signature)
    };
    read(language, text).iter().map(line).collect()
}

#[test]
fn rust_is_outlined() {
    let text = r#"//! A file.
use std::fmt;

/// How many.
pub const MOST: usize = 4;

#[derive(Debug)]
pub struct Shop<T> {
    goods: Vec<T>,
}

struct Pair(u8, u8);

impl<T: Clone> Shop<T>
where
    T: fmt::Debug,
{
    pub fn sell(
        &mut self,
        count: usize,
    ) -> Option<T> {
        fn inner() {}
        None
    }
}

pub trait Open {
    type Door;
    fn open(&self) -> Self::Door;
}

mod deep {
    pub(crate) enum Kind { A, B }
    static NAME: &str = "x";
}

macro_rules! shout {
    ($a:expr) => {};
}
type Alias = Vec<u8>;
"#;
    let outline = "\
5 pub const MOST: usize
8 pub struct Shop<T>
12 struct Pair
14 impl<T: Clone> Shop<T> where T: fmt::Debug,
  18 pub fn sell( &mut self, count: usize, ) -> Option<T>
27 pub trait Open
  28 type Door
  29 fn open(&self) -> Self::Door
32 mod deep
  33 pub(crate) enum Kind
  34 static NAME: &str
37 macro_rules! shout
40 type Alias = Vec<u8>
";
    assert_eq!(shown(Language::Rust, text), outline);
}

/// The names by which other files refer to the symbols.
fn names(language: Language, text: &str) -> Vec<String> {
    let found = read(language, text).into_iter();
    found.map(|symbol| symbol.name).collect()
}

#[test]
fn only_what_other_files_can_refer_to_has_a_name() {
    let rust = "pub struct Open;\nstruct Own;\npub(crate) fn open() {}\nfn own() {}\n\
                impl Open { pub fn method(&self) {} fn own(&self) {} }\n\
                impl Clone for Open { fn clone(&self) -> Self { Open } }\n\
                trait Part { fn part(&self); }\nmacro_rules! shout { () => {} }\nmod elsewhere;\n";
    let open = [
        "Open", "", "open", "", "", "method", "", "", "", "", "part", "shout",
    ];
    assert_eq!(names(Language::Rust, rust), open);
    let c = "static int own(void) { return 0; }\nint open(void) { return 0; }\n";
    assert_eq!(names(Language::C, c), ["", "open"]);
    let java = "class Open { private int own() { return 0; } public int open() { return 0; } }";
    assert_eq!(names(Language::Java, java), ["Open", "", "open"]);
    assert_eq!(names(Language::Python, "def _open(): pass"), ["_open"]);
}

#[test]
fn python_is_outlined() {
    let text = "\
import os

LIMIT: int = 3
names = []

@decorated(1)
class Shop(Base):
    size = 1

    @property
    async def sell(self, count: int = 1) -> str:
        def inner():
            pass
        total = 1
        return ''

if True:
    def main(): ...
";
    let outline = "\
3 LIMIT: int
4 names
7 class Shop(Base)
  11 async def sell(self, count: int = 1) -> str
18 def main()
";
    assert_eq!(shown(Language::Python, text), outline);
}

#[test]
fn typescript_is_outlined() {
    let text = "\
import { a } from './a';

export const LIMIT: number = 3;
export let sell = async (count: number): Promise<void> => {
  const inner = 1;
};

@decorated()
export class Shop extends Base<string> implements Open {
  @input()
  private name = 'x';
  constructor(private readonly a: string) { super(); }
  static sell<T>(count: T): T { return count; }
}

export interface Open {
  open(door: string): boolean;
}

export type Door = { wide: boolean };
type Id = string | number;
enum Kind { A, B }
export default function main(): void {}
namespace Deep {
  export function below() {}
}
abstract class Thing { abstract go(): void; }
describe('x', () => { const hidden = () => 1; });
";
    let outline = "\
3 const LIMIT: number
4 let sell = async (count: number): Promise<void>
9 class Shop extends Base<string> implements Open
  12 constructor(private readonly a: string)
  13 static sell<T>(count: T): T
16 interface Open
  17 open(door: string): boolean
20 type Door
21 type Id = string | number
22 enum Kind
23 function main(): void
24 namespace Deep
  25 function below()
27 abstract class Thing
  27 abstract go(): void
";
    assert_eq!(shown(Language::TypeScript, text), outline);
}

#[test]
fn javascript_and_tsx_are_outlined() {
    let text = "\
function* numbers() { yield 1; }
const View = ({ name }) => <b title=\"x\">{name}</b>;
class Shop { get size() { return 1; } #hidden() {} }
module.exports = { sell(count) { return count; } };
";
    let outline = "\
1 function* numbers()
2 const View = ({ name })
3 class Shop
  3 get size()
  3 #hidden()
4 sell(count)
";
    assert_eq!(shown(Language::JavaScript, text), outline);
    assert_eq!(shown(Language::Tsx, text), outline);
}

#[test]
fn go_is_outlined() {
    let text = "\
package shop

const Limit = 3

var (
	names []string
	count = 1
)

type Shop struct {
	goods []string
}

type Open interface {
	Open(door string) error
}

type Id = string

func (s *Shop) Sell(count int) (string, error) {
	return \"\", nil
}

func main() {
	var inner = func() {}
}
";
    let outline = "\
3 const Limit
6 var names []string
7 var count
10 type Shop struct
14 type Open interface
  15 Open(door string) error
18 type Id = string
20 func (s *Shop) Sell(count int) (string, error)
24 func main()
";
    assert_eq!(shown(Language::Go, text), outline);
}

#[test]
fn c_is_outlined() {
    let text = "\
#include <stdio.h>
#define LIMIT 3
#define MAX(a, b) ((a) > (b) ? (a) : (b))

struct shop;
struct shop {
    int goods;
};
typedef struct {
    int x;
} point;
typedef int (*callback)(void *);
enum kind { A, B };
extern int count;
static const char *names[] = { \"a\" };

static char **
sell(struct shop *shop,
     int count)
{
    int inner = 1;
    return 0;
}
#ifdef X
int main(void);
#endif
";
    let outline = "\
2 #define LIMIT
3 #define MAX(a, b)
6 struct shop
11 typedef struct … point
12 typedef int (*callback)(void *)
13 enum kind
14 extern int count
15 static const char *names[]
18 static char ** sell(struct shop *shop, int count)
25 int main(void)
";
    assert_eq!(shown(Language::C, text), outline);
}

#[test]
fn java_is_outlined() {
    let text = "\
package shop;

@Deprecated
public class Shop<T> extends Base implements Open {
    private int goods;
    public Shop(int goods) { this.goods = goods; }

    @Override
    public T sell(int count) throws Error {
        Runnable inner = () -> {};
        return null;
    }

    enum Kind { A, B }
    record Pair(int a, int b) {}
}

interface Open {
    boolean open(String door);
}
";
    let outline = "\
4 public class Shop<T> extends Base implements Open
  6 public Shop(int goods)
  9 public T sell(int count) throws Error
  14 enum Kind
  15 record Pair(int a, int b)
18 interface Open
  19 boolean open(String door)
";
    assert_eq!(shown(Language::Java, text), outline);
}

#[test]
fn bash_is_outlined() {
    let text = "\
#!/bin/bash
LIMIT=3
sell() {
    local count=$1
    inner() { :; }
}
function open_door { echo; }
";
    assert_eq!(
        shown(Language::Bash, text),
        "3 sell()\n7 function open_door\n"
    );
}

#[test]
fn what_is_no_valid_text_is_passed_over() {
    for language in Language::ALL {
        for text in [
            "",
            "\u{feff}",
            "}}}{{{((",
            "\0\0",
            "𝕏 ü \u{202e} @@ £",
            "\"\"\"'''`",
        ] {
            let found = read(language, text);
            assert!(found.len() <= 1, "{language:?} {text:?} {found:?}");
        }
    }
    let damaged = "fn a() {}\n]] @ ;\nfn b() {}\n";
    assert_eq!(shown(Language::Rust, damaged), "1 fn a()\n3 fn b()\n");
}

#[test]
fn symbols_stop_at_their_limit_and_lines_at_theirs() {
    let many = "fn a() {}\n".repeat(SOURCE_SYMBOLS);
    assert_eq!(read(Language::Rust, &many).len(), SOURCE_SYMBOLS);
    let more = format!("{many}fn last() {{}}\n");
    assert_eq!(read(Language::Rust, &more).len(), SOURCE_SYMBOLS);
    let long = format!("pub fn {}() {{}}\n", "a".repeat(SIGNATURE_CHARS * 10));
    let found = read(Language::Rust, &long).remove(0);
    assert_eq!(found.signature.chars().count(), SIGNATURE_CHARS);
    assert_eq!(found.name.chars().count(), SIGNATURE_CHARS);
}

#[test]
fn deep_nesting_is_walked_without_a_stack_of_calls() {
    let deep = format!("fn a() {{}} mod b {{ {} }}", "mod c { ".repeat(20_000));
    let found = read(Language::Rust, &deep);
    assert!(found.len() > 1, "{}", found.len());
    let brackets = format!("pub fn a() {{}}\nconst B: u8 = {};", "(".repeat(100_000));
    assert_eq!(read(Language::Rust, &brackets)[0].name, "a");
}
