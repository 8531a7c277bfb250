//! `carl secret` and what uses it, on real stores.

use canary::{KEY, PASSPHRASE, Vault};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::process::Command;
use testkit::{
    Carl, DESKTOP_KEYRING, Desktop, Finished, House, KERNEL_KEYRING, Reply, Server, is_absent,
};

/// A house whose secrets are on a desktop's bus.
struct Home {
    house: House,
    address: String,
}

impl Home {
    fn on(address: &str) -> Self {
        let house = House::new();
        house.configure("[secrets]\nbackend = \"secret-service\"\n");
        Self {
            house,
            address: address.to_owned(),
        }
    }

    fn carl(&self, args: &[&str]) -> Carl {
        let carl = self.house.ask(args.iter().copied());
        carl.env("DBUS_SESSION_BUS_ADDRESS", &self.address)
    }

    fn provider(&self, server: &Server) {
        self.house.configure(&format!(
            "{}api_key = {{ secret = \"work\" }}\n\n[secrets]\nbackend = \"secret-service\"\n",
            server.config("openai")
        ));
    }
}

fn keys_shown(server: &Server) -> Vec<String> {
    let chats = server.chats();
    let shown = |header: &str| {
        let values = chats.iter().filter_map(|chat| chat.headers.get(header));
        values.cloned().collect::<Vec<_>>()
    };
    shown("authorization")
}

fn refused(finished: &Finished, code: &str) {
    assert_eq!(finished.code, Some(4), "{finished:?}");
    assert!(finished.stderr.contains(code), "{finished:?}");
}

#[test]
fn a_key_in_a_real_keyring_reaches_its_server_and_can_be_forgotten() {
    if is_absent(DESKTOP_KEYRING) {
        return;
    }
    let desktop = Desktop::new();
    let home = Home::on(desktop.address());
    let run = |args: &[&str]| home.carl(args).run();
    let empty = run(&["secret", "list"]).expect(0);
    assert_eq!(empty.stdout, "");
    assert!(empty.stderr.contains("carl secret set NAME"), "{empty:?}");
    let stored = home
        .carl(&["secret", "set", "work"])
        .stdin(format!("{KEY}\n"));
    let stored = stored.run().expect(0);
    assert_eq!(stored.stdout, "work is stored.\n");
    assert_eq!(stored.stderr, "");
    let again = home
        .carl(&["secret", "set", "work"])
        .stdin(KEY)
        .run()
        .expect(0);
    assert!(
        again.stdout.contains("in place of the old one"),
        "{again:?}"
    );
    assert_eq!(run(&["secret", "list"]).expect(0).stdout, "work\n");

    let server = Server::openai([Reply::text("Hello."), Reply::text("Hello.")]);
    home.provider(&server);
    run(&["run", "--json", "say hello"]).expect(0);
    assert_eq!(keys_shown(&server), [format!("Bearer {KEY}")]);
    let audit = home.house.audit();
    let reading = audit
        .iter()
        .find(|record| record["action"] == "secret_read");
    assert_eq!(reading.unwrap()["detail"], "work");

    run(&["secret", "rm", "work"]).expect(0);
    refused(&run(&["secret", "rm", "work"]), "secrets.not_found");
    let without = run(&["run", "say hello"]);
    assert!(
        without.stderr.contains("carl secret set work"),
        "{without:?}"
    );
    assert_eq!(server.chats().len(), 1);
}

#[test]
fn a_store_that_is_locked_missing_or_mute_is_said_to_be_so_in_two_seconds() {
    if is_absent(DESKTOP_KEYRING) {
        return;
    }
    let locked = Desktop::locked();
    let bare = Desktop::bare();
    let folder = House::new();
    let mute = folder.run_dir().join("mute");
    let _listener = UnixListener::bind(&mute).unwrap();
    let mute = format!("unix:path={}", mute.display());
    let cases = [
        (locked.address(), "secrets.locked", "carl secret unlock"),
        (
            bare.address(),
            "secrets.unavailable",
            "GNOME Keyring and KWallet",
        ),
        (
            "unix:path=/nonexistent",
            "secrets.unavailable",
            "kernel-keyring",
        ),
        (mute.as_str(), "secrets.unavailable", "within 2 s"),
    ];
    for (address, code, words) in cases {
        let home = Home::on(address);
        for args in [
            &["secret", "list"][..],
            &["secret", "set", "x"],
            &["secret", "rm", "x"],
        ] {
            let finished = home.carl(args).stdin("value").run();
            refused(&finished, code);
            assert!(finished.stderr.contains(words), "{finished:?}");
        }
        // An agent's work ends in the same words and code, and the server is never asked.
        let server = Server::openai([Reply::text("Hello.")]);
        home.provider(&server);
        let finished = home.carl(&["run", "say hello"]).run();
        assert!(finished.stderr.contains("secret store"), "{finished:?}");
        refused(&finished, code);
        assert!(server.chats().is_empty());
    }
}

#[test]
fn no_store_is_chosen_by_itself() {
    let house = House::new();
    let finished = house.ask(["secret", "list"]).run();
    refused(&finished, "secrets.not_chosen");
    assert!(
        finished.stderr.contains("backend = \"secret-service\""),
        "{finished:?}"
    );
}

#[test]
fn an_encrypted_file_is_typed_open_and_forgotten_with_the_kernel() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let house = House::new();
    house.configure("[secrets]\nbackend = \"kernel-keyring\"\n");
    let prompts = ["shown): ", "more: "];
    // A passphrase that is too short, once, then a good one, twice; then the secret twice.
    let set = house
        .ask(["secret", "set", "work"])
        .typing(&prompts, |_, count| {
            let typed = ["short", PASSPHRASE, PASSPHRASE, KEY, KEY];
            typed[count].to_owned()
        });
    let screen = &set.finished.stderr;
    assert_eq!(set.finished.code, Some(0), "{screen}");
    assert_eq!(set.questions.len(), 5, "{screen}");
    // Said before anything is typed, and again.
    for said in ["Its passphrase has 8 characters", "too short: 8 characters"] {
        assert!(screen.contains(said), "{screen}");
    }
    assert!(screen.contains("is made, with nothing in it."), "{screen}");
    assert!(
        !screen.contains(PASSPHRASE) && !screen.contains(KEY),
        "{screen}"
    );
    assert_eq!(
        house.ask(["secret", "list"]).run().expect(0).stdout,
        "work\n"
    );

    house.ask(["secret", "lock"]).run().expect(0);
    refused(&house.ask(["secret", "list"]).run(), "secrets.locked");
    let wrong = house
        .ask(["secret", "unlock"])
        .stdin("another passphrase")
        .run();
    refused(&wrong, "secrets.sealed");
    let right = house
        .ask(["secret", "unlock"])
        .typing(&prompts, |_, _| PASSPHRASE.to_owned());
    assert_eq!(right.finished.code, Some(0), "{right:?}");
    assert!(!right.finished.stderr.contains(PASSPHRASE));
    assert_eq!(
        house.ask(["secret", "list"]).run().expect(0).stdout,
        "work\n"
    );

    // Two that differ are asked for again, and what is left stores nothing.
    let differs = house
        .ask(["secret", "set", "other"])
        .typing(&prompts, |_, count| match count {
            0 | 1 => format!("typed-{count}"),
            _ => "x\u{3}".into(),
        });
    assert_eq!(differs.finished.code, Some(130), "{differs:?}");
    let screen = &differs.finished.stderr;
    for told in [
        "the two do not match; type it again",
        "The secret was not stored.",
    ] {
        assert!(screen.contains(told), "no `{told}` in {screen}");
    }
    assert_eq!(
        house.ask(["secret", "list"]).run().expect(0).stdout,
        "work\n"
    );
    house.ask(["secret", "lock"]).run().expect(0);
}

#[test]
fn a_file_that_is_gone_while_the_kernel_holds_it_is_told_with_the_way_out() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let house = House::new();
    house.configure("[secrets]\nbackend = \"kernel-keyring\"\n");
    let prompts = ["shown): ", "more: "];
    let makes = || {
        let carl = house.ask(["secret", "set", "work"]);
        let made = carl.typing(&prompts, |_, count| {
            [PASSPHRASE, PASSPHRASE, KEY, KEY][count].to_owned()
        });
        assert_eq!(made.finished.code, Some(0), "{made:?}");
    };
    makes();
    let mut find = Command::new("find");
    let find = find.arg(house.home()).args(["-name", "*.sealed"]);
    let found = find.output().unwrap();
    let file = String::from_utf8(found.stdout).unwrap();
    std::fs::remove_file(file.trim()).unwrap();
    for command in [&["secret", "list"][..], &["secret", "unlock"], &["doctor"]] {
        let told = house.ask(command.iter().copied()).run().expect(4);
        let told = format!("{}{}", told.stdout, told.stderr);
        assert!(told.contains("carl secret lock"), "{command:?}: {told}");
    }
    house.ask(["secret", "lock"]).run().expect(0);
    makes();
    house.ask(["secret", "lock"]).run().expect(0);
}

#[test]
fn systemd_may_give_the_passphrase_and_every_command_finds_the_store_open() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let vault = Vault::new();
    vault.store("work", KEY);
    vault.run(&["secret", "lock"]).expect(0);
    let server = Server::openai([Reply::text("Hello."), Reply::text("Hello.")]);
    vault.provider(&server);
    let without = vault.run(&["run", "say hello"]);
    assert!(without.stderr.contains("locked"), "{without:?}");
    let credential = vault.house.run_dir().join("credentials/housecarl-secrets");
    std::fs::write(&credential, "another passphrase").unwrap();
    let doctor = || vault.with_credential(&["doctor"]).run().stdout;
    let wrong = doctor();
    assert!(wrong.contains("credential `housecarl-secrets`"), "{wrong}");
    std::fs::write(&credential, PASSPHRASE).unwrap();
    let right = doctor();
    assert!(right.contains("open, with 1 secret\n"), "{right}");
    // Also where the store is open by now.
    std::fs::write(&credential, "another passphrase").unwrap();
    let wrong = doctor();
    assert!(wrong.contains("credential `housecarl-secrets`"), "{wrong}");
    std::fs::write(&credential, PASSPHRASE).unwrap();
    vault.run(&["secret", "lock"]).expect(0);
    vault.with_credential(&["run", "say hello"]).run().expect(0);
    assert_eq!(keys_shown(&server), [format!("Bearer {KEY}")]);
    vault.run(&["run", "say hello"]).expect(0);
    assert_eq!(keys_shown(&server).len(), 2);
}

#[test]
fn empty_values_bad_names_and_values_in_the_arguments_are_refused_unrepeated() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let vault = Vault::new();
    let set = |args: &[&str], stdin: &str| vault.carl(args).stdin(stdin).run();
    for stdin in ["", "\n", " \n"] {
        let finished = set(&["secret", "set", "x"], stdin);
        assert_eq!(finished.code, Some(2), "{finished:?}");
    }
    for args in [
        &["secret", "set", "x", KEY][..],
        &["secret", "set", &format!("{KEY} ")],
    ] {
        let finished = set(args, "value");
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert!(!format!("{finished:?}").contains(KEY), "{finished:?}");
    }
    let longest = "x".repeat(16 << 10);
    set(&["secret", "set", "long"], &longest).expect(0);
    let finished = set(&["secret", "set", "longer"], &format!("{longest}x"));
    assert!(finished.stderr.contains("16 KiB"), "{finished:?}");
    for key in ["sk-ant-api03-Kx7Qw2", KEY] {
        let finished = set(&["secret", "set", key], "value");
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert!(!format!("{finished:?}").contains(key), "{finished:?}");
    }
    assert_eq!(vault.run(&["secret", "list"]).stdout, "long\n");
    vault.run(&["secret", "rm", "long"]).expect(0);
    let audit = vault.house.audit();
    let changes: Vec<&str> = audit
        .iter()
        .filter(|record| record["action"] == "configure")
        .filter_map(|record| record["detail"].as_str())
        .collect();
    assert_eq!(
        changes,
        [
            "secret store to be made",
            "secret stored: long",
            "secret removed: long"
        ]
    );
}

#[test]
fn a_literal_key_stops_every_command_and_is_not_shown() {
    let house = House::new();
    let server = Server::openai([Reply::text("Hello.")]);
    house.configure(&format!("{}api_key = \"{KEY}\"\n", server.config("openai")));
    for args in [
        &["run", "say hello"][..],
        &["config", "show"],
        &["models"],
        &["doctor"],
    ] {
        let finished = house.ask(args.iter().copied()).run();
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert!(
            finished.stderr.contains("carl secret set NAME"),
            "{finished:?}"
        );
        assert!(!format!("{finished:?}").contains(KEY), "{finished:?}");
    }
    for endpoint in [
        format!("http://me:{KEY}@127.0.0.1:1/v1"),
        format!("http://127.0.0.1:1/v1?key={KEY}"),
    ] {
        let provider = format!("type = \"openai\"\nendpoint = \"{endpoint}\"\n");
        house.configure(&format!("[models.providers.x]\n{provider}"));
        let finished = house.ask(["config", "show"]).run();
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert!(
            finished.stderr.contains("carl secret set NAME"),
            "{finished:?}"
        );
        assert!(!format!("{finished:?}").contains(KEY), "{finished:?}");
    }
    let house = House::new();
    let finished = house
        .ask(["config", "show"])
        .env("CARL_MODELS__PROVIDERS__X__API_KEY", KEY)
        .env("CARL_MODELS__PROVIDERS__X__TYPE", "openai")
        .run();
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(!format!("{finished:?}").contains(KEY), "{finished:?}");
    assert!(server.chats().is_empty());
}

#[test]
fn the_secrets_role_serves_who_shows_its_token() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let vault = Vault::new();
    vault.store("work", KEY);
    let mut role = vault.carl(&["serve", "--role", "secrets"]).spawn();
    role.until("serving at");
    let token = vault.house.run_dir().join("housecarl/secrets.token");
    let mode = std::fs::metadata(&token).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let server = Server::openai([Reply::text("Hello."), Reply::text("Hello.")]);
    let socket = vault.house.run_dir().join("housecarl/secrets.sock");
    // Another Housecarl, with no store of its own.
    let other = House::new();
    let config = |token: &std::path::Path| {
        format!(
            "{}api_key = {{ secret = \"work\" }}\n\n[secrets]\ntoken_file = {token:?}\n\n\
             [endpoints]\nsecrets = \"unix:{}\"\n",
            server.config("openai"),
            socket.display()
        )
    };
    other.configure(&config(&token));
    other.ask(["run", "say hello"]).run().expect(0);
    assert_eq!(keys_shown(&server), [format!("Bearer {KEY}")]);

    let forged = other.run_dir().join("forged");
    std::fs::write(&forged, "0".repeat(64)).unwrap();
    other.configure(&config(&forged));
    let open = other.ask(["run", "say hello"]).run();
    assert!(open.stderr.contains("others than you can read"), "{open:?}");
    std::fs::set_permissions(&forged, std::fs::Permissions::from_mode(0o600)).unwrap();
    let wrong = other.ask(["run", "say hello"]).run();
    assert!(
        wrong.stderr.contains("only the broker may read secrets"),
        "{wrong:?}"
    );
    let doctor = other.ask(["doctor"]).run();
    assert!(doctor.stdout.contains("only the broker"), "{doctor:?}");
    other.configure(&config(&token));
    let doctor = other.ask(["doctor"]).run();
    assert!(doctor.stdout.contains("takes the token"), "{doctor:?}");
    // A change while the role has the log.
    vault.store("more", "value");
    let told = format!("{:?}", vault.house.audit());
    for words in [
        "work, over the socket",
        "no token was shown over the socket",
        "secret stored: more",
    ] {
        assert!(told.contains(words), "{told}");
    }
    assert_eq!(server.chats().len(), 1);
    role.kill();
}

#[test]
fn a_providers_key_is_taken_out_of_what_tools_return() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let vault = Vault::new();
    vault.store("work", KEY);
    let hex: String = KEY.bytes().map(|byte| format!("{byte:02x}")).collect();
    let notes = format!("port 8080\nkey {KEY}\nhex {hex}\nkept canary-of-another-kind\n");
    vault.house.write("notes.txt", notes);
    let server = Server::openai([
        // First, since what a file says may not choose a command.
        Reply::call(
            "run_command",
            json!({"argv": ["sh", "-c", "rev notes.txt; cat notes.txt"]}),
        ),
        Reply::call("read_file", json!({"path": "notes.txt"})),
        Reply::text("Done."),
    ]);
    vault.provider(&server);
    let finished = vault.run(&[
        "run",
        "--agent",
        "sysadmin",
        "--allow-write",
        ".",
        "--yes",
        "exec",
        "look at notes.txt",
    ]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let shown = server.chats().last().unwrap().body.to_string();
    // Both results came, whole but for the key.
    assert_eq!(shown.matches("port 8080").count(), 2, "{shown}");
    assert_eq!(
        shown.matches("canary-of-another-kind").count(),
        2,
        "{shown}"
    );
    assert!(shown.matches("[REDACTED]").count() >= 5, "{shown}");
    let kept = vault.house.everything_kept();
    let reversed: String = KEY.chars().rev().collect();
    for form in [KEY, &hex, &reversed] {
        assert!(!shown.contains(form), "{shown}");
        assert!(!kept.contains(form), "{form} is on record");
    }
}

#[test]
fn a_short_placeholder_of_a_key_is_left_in_what_tools_return() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let vault = Vault::new();
    vault.store("work", "ollama-local");
    vault.house.write("notes.txt", "start ollama-local first\n");
    let server = Server::openai([
        Reply::call("read_file", json!({"path": "notes.txt"})),
        Reply::text("Done."),
    ]);
    vault.provider(&server);
    let finished = vault.run(&["run", "what does notes.txt say?"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let shown = server.chats().last().unwrap().body.to_string();
    assert!(shown.contains("start ollama-local first"), "{shown}");
}

#[test]
fn a_missing_encrypted_file_is_said_to_be_missing() {
    if is_absent(KERNEL_KEYRING) {
        return;
    }
    let house = House::new();
    house.configure("[secrets]\nbackend = \"kernel-keyring\"\n");
    for args in [&["secret", "list"][..], &["doctor"]] {
        let told = house.ask(args.iter().copied()).run();
        let told = format!("{}{}", told.stdout, told.stderr);
        let words: Vec<&str> = told.split_whitespace().collect();
        let told = words.join(" ");
        assert!(told.contains("there is no encrypted file"), "{told}");
        assert!(told.contains("makes a new, empty one"), "{told}");
    }
    let unlock = house.ask(["secret", "unlock"]).stdin(PASSPHRASE);
    let made = unlock.run();
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(made.stderr.contains("A new, empty one will be"), "{made:?}");
    assert!(made.stderr.contains("from a backup"), "{made:?}");
}
