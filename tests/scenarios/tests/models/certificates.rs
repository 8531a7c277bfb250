//! A model server with a certificate: trusted by `SSL_CERT_FILE`, and told apart where it is not.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned, crypto};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use testkit::House;

type Root = CertifiedIssuer<'static, KeyPair>;

fn root() -> Root {
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// An OpenAI-compatible server with this certificate that says hello; without one it does not
/// encrypt. Its port. It ends with the process.
fn serving(certificate: Option<(CertificateDer<'static>, Vec<u8>)>) -> u16 {
    let config = certificate.map(|(certificate, key)| {
        let config =
            ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()
                .unwrap()
                .with_no_client_auth()
                .with_single_cert(vec![certificate], PrivatePkcs8KeyDer::from(key).into());
        Arc::new(config.unwrap())
    });
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            let config = config.clone();
            thread::spawn(move || answer(stream, config));
        }
    });
    port
}

fn answer(stream: TcpStream, config: Option<Arc<ServerConfig>>) {
    match config {
        None => hello(stream),
        Some(config) => hello(StreamOwned::new(
            ServerConnection::new(config).unwrap(),
            stream,
        )),
    }
}

/// Answers one request; one that breaks off, as an untrusting client's does, gets nothing.
fn hello(mut stream: impl Read + Write) {
    let mut head = [0; 4096];
    let Ok(read @ 1..) = stream.read(&mut head) else {
        return;
    };
    let (kind, body) = match head[..read].starts_with(b"GET") {
        true => ("application/json", r#"{"data": [{"id": "hello"}]}"#),
        false => (
            "text/event-stream",
            "data: {\"choices\": [{\"delta\": {\"content\": \"Hello.\"}}]}\n\n\
             data: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"stop\"}]}\n\n\
             data: [DONE]\n\n",
        ),
    };
    let length = body.len();
    let reply = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{body}"
    );
    // Who went away needs no answer.
    let _sent = stream.write_all(reply.as_bytes()).and(stream.flush());
}

fn house(port: u16) -> House {
    let house = House::new();
    house.configure(&format!(
        "[models.providers.own]\ntype = \"openai\"\nendpoint = \"https://localhost:{port}/v1\"\n\
         default_model = \"hello\"\n"
    ));
    house
}

#[test]
fn an_own_certificate_is_trusted_by_the_file_that_names_it() {
    let root = root();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    let leaf = params.signed_by(&key, &root).unwrap();
    let house = house(serving(Some((leaf.der().clone(), key.serialize_der()))));
    house.write("root.pem", root.pem());
    let told = house.ask(["run", "hello"]).run().expect(4).stderr;
    assert!(told.contains("is not trusted on this machine"), "{told}");
    assert!(told.contains("SSL_CERT_FILE="), "{told}");
    let file = house.work().join("root.pem");
    let trusting = house.ask(["run", "hello"]);
    let trusting = trusting.env("SSL_CERT_FILE", file.to_str().unwrap());
    assert_eq!(trusting.run().expect(0).stdout.trim(), "Hello.");
}

#[test]
fn an_authoritys_own_certificate_and_no_encryption_are_named() {
    let root = root();
    let own = (root.der().clone(), root.key().serialize_der());
    let house_of_own = house(serving(Some(own)));
    house_of_own.write("root.pem", root.pem());
    let file = house_of_own.work().join("root.pem");
    let trusting = house_of_own.ask(["run", "hello"]);
    let trusting = trusting.env("SSL_CERT_FILE", file.to_str().unwrap());
    let told = trusting.run().expect(4).stderr;
    assert!(told.contains("that of an authority"), "{told}");
    let plain = house(serving(None));
    let told = plain.ask(["run", "hello"]).run().expect(4).stderr;
    assert!(told.contains("answers without encryption"), "{told}");
    assert!(told.contains("write http://"), "{told}");
}

/// A certificate of `localhost` that an authority signed, with its key.
fn signed_by(root: &Root, names: [&str; 1]) -> (CertificateDer<'static>, Vec<u8>) {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(names.map(str::to_owned)).unwrap();
    let leaf = params.signed_by(&key, root).unwrap();
    (leaf.der().clone(), key.serialize_der())
}

/// What is said where this file names the certificates to trust.
fn told_with(house: &House, file: &str) -> String {
    let run = house.ask(["run", "hello"]).env("SSL_CERT_FILE", file);
    run.env("SSL_CERT_DIR", "").run().expect(4).stderr
}

#[test]
fn a_file_of_certificates_that_cannot_be_used_is_named() {
    let house = house(serving(Some(signed_by(&root(), ["localhost"]))));
    house.write("empty.pem", "");
    let at = |name: &str| house.work().join(name).display().to_string();
    for (file, why) in [
        (at("gone.pem"), "which cannot be read: No such file"),
        (at("empty.pem"), "in which there is no certificate"),
        (at("."), "which is a folder"),
    ] {
        let told = told_with(&house, &file);
        let named = format!("SSL_CERT_FILE names {file}, {why}");
        assert!(told.contains(&named), "{told}");
        assert!(told.contains("or unset it"), "{told}");
        assert!(!told.contains("HTTP client"), "{told}");
    }
}

#[test]
fn a_signature_that_is_another_authoritys_is_told_from_an_unknown_one() {
    // Of one name, and of another key.
    let (own, namesake) = (root(), root());
    let house_of = |names| house(serving(Some(signed_by(&own, names))));
    let house = house_of(["localhost"]);
    house.write("root.pem", namesake.pem());
    let file = house.work().join("root.pem").display().to_string();
    let told = told_with(&house, &file);
    assert!(told.contains("not signed by the authority"), "{told}");
    assert!(told.contains("at https://localhost:"), "{told}");
    assert!(told.contains("made anew"), "{told}");
    let elsewhere = house_of(["elsewhere"]);
    elsewhere.write("root.pem", own.pem());
    let file = elsewhere.work().join("root.pem").display().to_string();
    let told = told_with(&elsewhere, &file);
    assert!(told.contains("is for other names than that"), "{told}");
}
