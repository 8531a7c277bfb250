//! A store that is closed or not there: what people are told.
#![allow(clippy::unwrap_used, reason = "a test is allowed to fail loudly")]

use canary::Vault;
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
