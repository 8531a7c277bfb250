//! Memory beside an embedding server that makes vectors of some texts and not of others, through the
//! shipped program.

use serde_json::{Value, json};
use testkit::ollama::OllamaState;
use testkit::{House, Server};

/// Vectors are made by this server.
fn config(server: &Server) -> String {
    format!(
        "{}\n[models.roles]\nembed = \"scripted/scripted-model\"\n\
         [models.limits]\nretry_pause_ms = 1\n",
        server.config("ollama")
    )
}

fn beside(server: &Server) -> House {
    let house = House::new();
    house.configure(&config(server));
    house
}

/// A server that fails at texts of more than 400 characters.
fn failing_at_long_texts() -> Server {
    Server::script([]).ollama(OllamaState {
        embedded_chars: 400,
        ..OllamaState::default()
    })
}

/// An entry with so many texts that the server fails at that in a row they would leave it alone.
fn add_long(house: &House) -> String {
    let words: Vec<String> = (0..450).map(|at| format!("word{at}")).collect();
    let words = words.join(" ");
    let adding = ["memory", "add", "Elephants are large.", "--name", "long"];
    let added = house.ask(adding).args(["--description", &words]).run();
    added.expect(0).stdout.trim().to_owned()
}

fn stats(house: &House) -> Value {
    house
        .ask(["memory", "stats", "--json"])
        .run()
        .expect(0)
        .json()
}

/// How often the server was asked for a vector of a text with this word.
fn asked(server: &Server, word: &str) -> usize {
    let requests = server.requests();
    let texts = requests.iter().map(|one| one.body["input"].to_string());
    texts.filter(|texts| texts.contains(word)).count()
}

/// One text that the embedding server refuses stops no other, and its entry is named.
#[test]
fn an_entry_that_the_embedding_server_refuses_is_named() {
    let state = OllamaState {
        refused_word: Some("endless".to_owned()),
        ..OllamaState::default()
    };
    let server = Server::script([]).ollama(state);
    let house = beside(&server);
    for text in [
        "I take my coffee black.",
        "endless",
        "The ferry leaves at seven.",
    ] {
        house.ask(["memory", "add", text]).run().expect(0);
    }
    let said = house.ask(["memory", "reindex"]).run().expect(0).stdout;
    assert!(said.contains("Index vector: 2 of 2 entries\n"), "{said}");
    // The next process knows it and asks for the text no more.
    let before = asked(&server, "endless");
    let stats = house.ask(["memory", "stats"]).run().expect(0).stdout;
    let refused = "1 entry has a text that the embedding model refuses";
    assert!(
        stats.contains(refused) && stats.contains("carl memory reindex"),
        "{stats}"
    );
    let id = house.ask(["memory", "stats", "--json"]).run().json()["refused"][0].clone();
    assert!(stats.contains(id.as_str().unwrap()), "{stats}");
    let doctor = house.ask(["doctor"]).run().stdout;
    assert!(doctor.contains(refused), "{doctor}");
    let found = house.ask(["memory", "search", "endless"]).run().expect(0);
    assert!(found.stdout.contains("endless"), "{}", found.stdout);
    assert!(!found.stderr.contains("no vector yet"), "{}", found.stderr);
    let again = asked(&server, "endless") - before;
    // The search asks for the vector of its own question alone.
    assert_eq!(again, 1);
}

/// A server that is well but for some texts is not left alone because of them.
#[test]
fn many_refused_texts_of_one_entry_stop_no_other() {
    let server = failing_at_long_texts();
    let house = beside(&server);
    let long = add_long(&house);
    for text in ["The ferry leaves at seven.", "Tea is at four."] {
        house.ask(["memory", "add", text]).run().expect(0);
    }
    let said = house.ask(["memory", "reindex"]).run().expect(0).stdout;
    // The long entry has vectors of its name and its text.
    let index = "Index vector: 3 of 3 entries, 1 of them in part\n";
    assert!(said.contains(index), "{said}");
    assert!(asked(&server, "word449") > 0);
    let told = stats(&house);
    assert_eq!(told["refused"], json!([long]), "{told:#}");
}

#[test]
fn a_refused_entry_stays_named_until_it_is_taken_or_replaced() {
    let server = failing_at_long_texts();
    let house = beside(&server);
    let long = add_long(&house);
    for _ in 0..2 {
        let before = asked(&server, "word449");
        house.ask(["memory", "reindex"]).run().expect(0);
        assert!(asked(&server, "word449") > before, "it is asked for again");
        let told = stats(&house);
        assert_eq!(told["refused"], json!([long]), "{told:#}");
    }
    let replacing = ["memory", "add", "Mice are small.", "--supersedes", &long];
    house.ask(replacing).run().expect(0);
    let told = stats(&house);
    assert_eq!(told["refused"], json!([]), "{told:#}");
    // Another one is refused, and then the server takes longer texts.
    add_long(&house);
    house.ask(["memory", "reindex"]).run().expect(0);
    let able = Server::script([]).ollama(OllamaState::default());
    house.configure(&config(&able));
    house.ask(["memory", "reindex"]).run().expect(0);
    let told = stats(&house);
    assert_eq!(told["refused"], json!([]), "{told:#}");
}
