//! `outline`: what a source file or a folder of them defines, as a model sees it.

use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use testkit::Reply;

/// The result of one call in a folder, as the model and programs see it.
fn outlined(arguments: Value, prepare: impl Fn(&Scene)) -> Value {
    let call = Reply::call("outline", arguments);
    let scene = Scene::new([call, Reply::text("Done.")]);
    prepare(&scene);
    let outcome = scene.run(&["--agent", "coder", "what is in the project?"]);
    let log = scene.log(&outcome);
    of_kind(&log, "tool_result").remove(0).clone()
}

fn text(result: &Value) -> &str {
    result["text"].as_str().unwrap()
}

fn shop(scene: &Scene) {
    let house = &scene.house;
    house.write(".gitignore", "target/\n");
    house.write("target/made.rs", "pub fn never_shown() {}\n");
    house.write(
        "src/shop.rs",
        "//! A shop.\n\npub struct OpenShop {\n    goods: u8,\n}\n\nimpl OpenShop {\n    \
         pub fn sell_one(&mut self) -> u8 {\n        self.goods\n    }\n}\n",
    );
    house.write(
        "src/main.rs",
        "fn main() {\n    let mut shop = OpenShop::default();\n    shop.sell_one();\n}\n",
    );
    house.write("tools/count.py", "def count_goods(shop):\n    return 1\n");
}

#[test]
fn a_folder_is_mapped_with_what_is_used_most_first() {
    let result = outlined(json!({}), shop);
    assert_eq!(result["status"], "ok", "{result:#}");
    let map = "\
src/shop.rs
  3: pub struct OpenShop
  7: impl OpenShop
    8: pub fn sell_one(&mut self) -> u8
src/main.rs
  1: fn main()
tools/count.py
  1: def count_goods(shop)
";
    assert!(text(&result).contains(map), "{}", text(&result));
    assert!(!text(&result).contains("never_shown"), "{}", text(&result));
}

#[test]
fn a_file_is_outlined_with_lines_that_can_be_read() {
    let result = outlined(json!({"path": "src/shop.rs"}), shop);
    assert_eq!(result["status"], "ok", "{result:#}");
    let outline = "src/shop.rs (Rust):\n  3: pub struct OpenShop\n  7: impl OpenShop\n    8: pub fn sell_one(&mut self) -> u8\n";
    assert!(text(&result).contains(outline), "{}", text(&result));
}

#[test]
fn a_folder_keeps_to_the_tokens_asked_for_and_counts_the_rest() {
    let many: String = (0..300)
        .map(|at| format!("def number_{at}(): pass\n"))
        .collect();
    let prepare = |scene: &Scene| {
        shop(scene);
        scene.house.write("many.py", &many);
    };
    let result = outlined(json!({"tokens": 128}), prepare);
    let told = text(&result);
    assert!(
        told.contains("src/shop.rs\n  3: pub struct OpenShop"),
        "{told}"
    );
    assert!(told.contains(" more symbols)"), "{told}");
    assert!(told.len() < 128 * 4 + 200, "{told}");
}

#[test]
fn a_file_that_breaks_its_parser_costs_its_own_symbols_alone() {
    // The first wants more memory than a reader has, the other more time.
    let bombs = [("memory.java", "a<"), ("time.sh", "((a")];
    let prepare = |scene: &Scene| {
        shop(scene);
        for (name, part) in bombs {
            scene.house.write(name, part.repeat(1_000_000 / part.len()));
        }
    };
    let result = outlined(json!({}), prepare);
    assert_eq!(result["status"], "ok", "{result:#}");
    let told = text(&result);
    for part in [
        "src/shop.rs\n",
        "  1: def count_goods(shop)\n",
        "(not outlined: ",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told.contains("time.sh takes its parser too long"), "{told}");
    assert!(told.contains("memory.java "), "{told}");
    let result = outlined(json!({"path": "time.sh"}), prepare);
    assert_eq!(result["status"], "failed", "{result:#}");
    let told = text(&result);
    assert!(
        told.contains("`time.sh` takes its parser too long. Use grep"),
        "{told}"
    );
}

#[test]
fn a_file_in_an_unknown_language_is_told_which_are_known() {
    let result = outlined(json!({"path": ".gitignore"}), shop);
    assert_eq!(result["status"], "failed", "{result:#}");
    let told = text(&result);
    assert!(told.contains("`.gitignore` has no outline"), "{told}");
    assert!(told.contains("Python (.py .pyi), Rust (.rs)"), "{told}");
}
