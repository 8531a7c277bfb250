//! How the page looks, and what hostile text does to it.

use crate::{set_port, told};
use serde_json::json;
use testkit::Reply;

const FILE: &str = "looks.mjs";

/// An answer with every form that Markdown has.
const FORMS: &str = "\
## What it does\n\n\
This project **serves** a small page. It has *three* parts, and `s.toml` sets them up:\n\n\
1. a server, which listens at the port of `s.toml`\n\
2. a page\n   - in two themes\n   - by keyboard alone\n\
3. tests\n\n\
| Part | Lines |\n|---|---:|\n| server | 420 |\n| page | 310 |\n\n\
```rust\nfn main() {\n    println!(\"a line of code that is rather long, so that it has to be scrolled to be read\");\n}\n```\n\n\
> Ask before you change the port.\n\n\
More is in [the manual](https://example.org/manual).\n";

#[test]
fn every_view_is_readable_in_both_themes_and_on_a_phone() {
    let replies = [
        Reply::thinking("I look into the folder first.")
            .and_call("read_file", json!({"path": "s.toml"})),
        Reply::text(FORMS),
        set_port("8000", "9000"),
        Reply::text("The port is 9000 now."),
    ];
    let Some((_scene, _page, mut story)) = told((FILE, "views"), replies) else {
        return;
    };
    story.until("answered");
    story.go_on("");
    story.end();
}

#[test]
fn words_from_right_to_left_stand_at_the_right() {
    let said = "שלום לך.\n\n- קומקום אחד\n- שני ספלים\n\nAnd that is all.\n";
    let Some((_scene, _page, story)) = told((FILE, "turned"), [Reply::text(said)]) else {
        return;
    };
    story.end();
}

#[test]
fn hostile_text_draws_nothing_and_runs_nothing() {
    let hostile = "<script>alert(2)</script>\n\n<img src=x onerror=alert(3)>\n\n\
                   [a](javascript:alert(5)) [b](data:text/html,<script>alert(4)</script>) \
                   [your bank](https://evil.example/login) ![p](https://evil.example/p.png)\n\n\
                   <svg onload=alert(6)><a href=\"javascript:alert(7)\">x</a></svg>\n";
    let name = "<img src=x onerror=alert(8)>.md";
    let replies = [
        Reply::call("read_file", json!({"path": name})),
        Reply::text(hostile),
        Reply::call(
            "edit_file",
            json!({"path": name, "old": "<script>alert(9)</script>", "new": "<b>bold</b>"}),
        ),
        Reply::text("done"),
    ];
    let Some((scene, _page, story)) = told((FILE, "hostile"), replies) else {
        return;
    };
    scene.house.write(name, "<script>alert(9)</script>\n");
    story.end();
}
