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
