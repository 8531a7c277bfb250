//! Answers and reports that say more than the calls bear out, and honest ones beside them.

use scenarios::{Outcome, Scene};
use serde_json::json;
use testkit::Reply;

const OPEN: [&str; 6] = [
    "--agent",
    "sysadmin",
    "--allow-write",
    ".",
    "--yes",
    "exec,write",
];

fn runs(command: &str) -> Reply {
    Reply::call("run_shell", json!({"argv": ["sh", "-c", command]}))
}

fn outcome(task: &str, replies: impl IntoIterator<Item = Reply>) -> Outcome {
    Scene::new(replies).run(&[&OPEN[..], &[task]].concat())
}

#[test]
fn a_command_that_failed_is_told_in_json() {
    let replies = |answer| [runs("exit 3"), Reply::text(answer)];
    let honest = outcome("look for it", replies("There is no hit."));
    honest.assert_ends(0, "success");
    let call = &honest.calls()[0];
    assert_eq!(
        (&call["status"], &call["exit_code"]),
        (&json!("ok"), &json!(3))
    );
    let killed = outcome(
        "try it",
        [runs("kill -9 $$"), Reply::text("It was killed.")],
    );
    assert_eq!(killed.calls()[0]["exit_code"], 137);
}

#[test]
fn what_users_tell_of_themselves_orders_no_change_and_is_remembered() {
    let scene = Scene::new([Reply::text("Fertig.")]);
    let told = "Ich heiße Åsa Çelik und schreibe als Renée Groß";
    scene.run(&[told]).assert_ends(0, "success");
    let kept = scene.house.ask(["memory", "export"]).run().expect(0).stdout;
    assert!(kept.contains("Åsa Çelik"), "{kept}");
}
