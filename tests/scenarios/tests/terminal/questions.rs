//! What a question says of what it is about, and when nobody is asked.

use scenarios::Scene;

#[test]
fn words_that_were_typed_are_not_called_the_agents_choice() {
    let scene = Scene::new([]);
    scene.house.write("a.txt", "hello\n");
    let first = scene.run(&["--mode", "deterministic", "read a.txt"]);
    let id = first.text("session_id").to_owned();
    let args = ["run", "--session-id", &id, "--mode", "deterministic"];
    let typed = scene.house.ask(args).arg("create b.txt with hello bees");
    let run = typed.at_terminal(|_, _| "n".to_owned());
    let [question] = run.questions.as_slice() else {
        panic!("{run:#?}");
    };
    assert!(!question.contains("The agent chose this"), "{question}");
    assert!(
        question.contains("You typed this; the session had read"),
        "{question}"
    );
}
