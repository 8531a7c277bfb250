//! Providers that are named wrongly: what the user is told.

use scenarios::Scene;
use testkit::Reply;

#[test]
fn a_role_or_fallback_at_no_provider_names_file_line_and_the_nearest() {
    let scene = Scene::new([Reply::text("Hello.")]);
    let config = scene.server.config("openai");
    let lines = config.lines().count();
    for (more, key) in [
        (
            "[models.roles]\ncode = \"scriptd/m\"\n",
            "models.roles.code",
        ),
        (
            "[models.roles]\nembed = \"Scripted/m\"\n",
            "models.roles.embed",
        ),
    ] {
        scene.house.configure(&format!("{config}{more}"));
        for command in [&["models"][..], &["run", "hello"], &["doctor"]] {
            let told = scene.house.ask(command.iter().copied()).run().expect(2);
            for part in [
                format!(
                    "config.toml: line {}: {key}: there is no provider",
                    lines + 2
                ),
                "Did you mean `scripted`? Write one of embedded, ollama, scripted, or".to_owned(),
            ] {
                assert!(told.stderr.contains(&part), "no `{part}` in {told:#?}");
            }
        }
    }
    let fallback = config.replace("[models]\n", "[models]\nfallbacks = [\"scriptd/m\"]\n");
    scene.house.configure(&fallback);
    let told = scene.house.ask(["run", "hello"]).run().expect(2).stderr;
    assert!(
        told.contains("line 2: models.fallbacks: there is no"),
        "{told}"
    );
    // What discovery names is there without a section.
    let found = "[models.roles]\nfast = \"llama-server/m\"\nembed = \"static/m\"\n";
    scene.house.configure(&format!("{config}{found}"));
    scene.house.ask(["run", "hello"]).run().expect(0);
    // A gateway elsewhere has roles of its own.
    let away = "[models.roles]\ncode = \"far/m\"\n[endpoints]\nmodels = \"unix:/nowhere\"\n";
    scene.house.configure(&format!("{config}{away}"));
    let listed = scene.house.ask(["config", "show"]).run().expect(0).stdout;
    assert!(listed.contains("far/m"), "{listed}");
}

#[test]
fn a_model_at_no_provider_is_a_mistake_of_usage_with_the_nearest() {
    let scene = Scene::new([]);
    for (args, part) in [
        (
            ["--model", "Scripted/m"],
            "--model: there is no provider `Scripted`",
        ),
        (
            ["--provider", "Scripted"],
            "--provider: `Scripted` is not configured",
        ),
    ] {
        let run = scene.house.ask(["run"]).args(args).args(["hello"]);
        let told = run.run().expect(2).stderr;
        for part in [
            part,
            "Did you mean `scripted`? Write one of embedded, ollama, scripted, or",
        ] {
            assert!(told.contains(part), "no `{part}` in {told}");
        }
    }
    assert!(scene.server.chats().is_empty());
}
