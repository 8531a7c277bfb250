//! A store that is closed or not there, and the passphrase that opens it: what people are told.

use canary::{PASSPHRASE, Vault};
use testkit::{House, KERNEL_KEYRING, Reply, Server, is_absent};

fn house(backend: &str, server: &Server) -> House {
    let house = House::new();
    house.configure(&format!(
        "{}api_key = {{ secret = \"work\" }}\n\n[secrets]\nbackend = \"{backend}\"\n",
        server.config("openai")
    ));
    house
}

/// A script that waits for the unlocking can tell it from a provider that is not configured.
#[test]
fn a_request_without_its_key_ends_with_the_code_of_the_store() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let server = Server::openai([Reply::text("Hello.")]);
    let nowhere = "unix:path=/nonexistent";
    for (backend, code, hint) in [
        ("kernel-keyring", "[secrets.locked]", "carl secret unlock"),
        ("secret-service", "[secrets.unavailable]", "kernel-keyring"),
    ] {
        let house = house(backend, &server);
        let carl = |args: &[&str]| {
            let carl = house.ask(args.iter().copied());
            carl.env("DBUS_SESSION_BUS_ADDRESS", nowhere)
        };
        for command in [&["run", "say hello"][..], &["secret", "list"]] {
            let told = carl(command).run().expect(4).stderr;
            assert!(told.contains(code) && told.contains(hint), "{told}");
        }
        let doctor = carl(&["doctor"]).run().expect(4).stdout;
        assert_eq!(doctor.matches("the secret store").count(), 1, "{doctor}");
        assert!(doctor.contains("see secrets above"), "{doctor}");
        assert!(!doctor.contains("`carl doctor` tries"), "{doctor}");
    }
    let vault = Vault::new();
    vault.provider(&server);
    let told = vault.run(&["run", "say hello"]).expect(4).stderr;
    assert!(told.contains("[secrets.not_found]"), "{told}");
    assert!(server.chats().is_empty());
}

#[test]
fn a_secrets_role_that_is_down_is_named_with_what_starts_it() {
    let server = Server::openai([Reply::text("Hello.")]);
    let house = House::new();
    let token = house.run_dir().join("token");
    std::fs::write(&token, "0".repeat(64)).unwrap();
    let only_mine = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&token, only_mine).unwrap();
    house.configure(&format!(
        "{}api_key = {{ secret = \"work\" }}\n\n[secrets]\ntoken_file = {token:?}\n\n\
         [endpoints]\nsecrets = \"unix:/nonexistent/secrets.sock\"\n",
        server.config("openai")
    ));
    let told = house.ask(["run", "say hello"]).run().expect(4).stderr;
    for part in ["[secrets.unavailable]", "`carl serve --role secrets`"] {
        assert!(told.contains(part), "no `{part}` in {told}");
    }
}

#[test]
fn what_is_wrong_with_a_passphrase_is_said_of_the_passphrase() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let house = House::new();
    house.configure("[secrets]\nbackend = \"kernel-keyring\"\n");
    for (typed, why) in [("", "it is empty"), ("short\n", "8 characters or more")] {
        let told = house.ask(["secret", "unlock"]).stdin(typed);
        let told = told.run().expect(2).stderr;
        for part in [
            "the passphrase cannot be used: ",
            why,
            "Nothing was changed.",
        ] {
            assert!(told.contains(part), "no `{part}` in {told}");
        }
        assert!(!told.contains("secret cannot"), "{told}");
    }
    let prompts = ["shown): ", "more: "];
    let cancelled = house
        .ask(["secret", "unlock"])
        .typing(&prompts, |_, count| ["short", "x\u{3}"][count].to_owned());
    let screen = &cancelled.finished.stderr;
    assert_eq!(cancelled.finished.code, Some(130), "{screen}");
    // Told before it is typed again, and that no file was made not on the question's own line.
    assert_eq!(screen.matches("once more").count(), 0, "{screen}");
    let told = |words: &str| screen.lines().find(|line| line.contains(words)).unwrap();
    assert!(!told("cancelled").contains("shown"), "{screen}");
    assert!(!told("No file was made.").contains("shown"), "{screen}");
    assert!(
        !told("too short: 8 characters").contains("shown"),
        "{screen}"
    );
    let made = house
        .ask(["secret", "unlock"])
        .stdin(format!("{PASSPHRASE}\n"));
    let told = made.run().expect(0).stderr;
    assert!(!told.contains("line end"), "{told}");
    house.ask(["secret", "lock"]).run().expect(0);
}

#[test]
fn a_secret_to_remove_that_is_not_there_is_told_the_nearest() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let vault = Vault::new();
    vault.store("work", "value");
    let told = vault.run(&["secret", "rm", "wrok"]).expect(4).stderr;
    for part in [
        "[secrets.not_found]",
        "Did you mean `work`?",
        "`carl secret list`",
    ] {
        assert!(told.contains(part), "no `{part}` in {told}");
    }
    assert!(!told.contains("secret set"), "{told}");
}
