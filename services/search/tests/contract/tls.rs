//! Certificates: a page, and a search server, are believed to be who they say only with one that
//! this machine trusts, for that name, and in its time.
//!
//! Which roots a process trusts is read at its start, from the file that `SSL_CERT_FILE` names where
//! it names one: the test starts itself again with a root of its own.

use crate::site::{Answer, FakeNames, HOST, House, Reader, Site, article, config};
use api::search::{Error, PageFault, ReadAnswer, Search, SearchRequest};
use axum::serve::Listener;
use domain::rights::WebContent;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::server::TlsStream;

/// Says that the process was started with the root in this file, whose key is beside it.
const ROOT: &str = "TLS_TEST_ROOT";
const TEST: &str = "tls::only_a_trusted_certificate_for_the_name_and_the_time_is_taken";

type Root = CertifiedIssuer<'static, KeyPair>;

fn root(name: &str) -> Root {
    root_with(name, KeyPair::generate().unwrap())
}

fn root_with(name: &str, key: KeyPair) -> Root {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
        .distinguished_name
        .push(rcgen::DnType::CommonName, name);
    CertifiedIssuer::self_signed(params, key).unwrap()
}

/// When a certificate holds.
#[derive(Clone, Copy)]
enum Time {
    Now,
    Over,
}

/// A listener whose connections are encrypted under a certificate for a name.
struct Encrypted {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl Encrypted {
    async fn new(by: &Root, name: &str, time: Time) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        (params.not_before, params.not_after) = match time {
            Time::Now => (date_time_ymd(2020, 1, 1), date_time_ymd(2099, 1, 1)),
            Time::Over => (date_time_ymd(2010, 1, 1), date_time_ymd(2011, 1, 1)),
        };
        let leaf = params.signed_by(&key, by).unwrap();
        let secret = PrivatePkcs8KeyDer::from(key.serialize_der());
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![leaf.der().clone()], secret.into())
            .unwrap();
        Self {
            listener: TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap(),
            acceptor: TlsAcceptor::from(Arc::new(config)),
        }
    }
}

impl Listener for Encrypted {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        loop {
            let (stream, from) = self.listener.accept().await.unwrap();
            // Who does not like the certificate hangs up.
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, from);
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// What comes of reading a page from a site with such a certificate, and how many requests it saw.
async fn read(by: &Root, name: &str, time: Time) -> (ReadAnswer, usize) {
    let site = Site::serving(Encrypted::new(by, name, time).await);
    site.answer("/a", article("Only who is trusted is read."));
    let url = format!("https://{HOST}:{}/a", site.address.port());
    let answer = House::of(&site).read(&url, WebContent::Extracted).await;
    (answer, site.seen().len())
}

/// The same of asking a search server at this machine.
async fn search(by: &Root, name: &str, time: Time) -> (Result<usize, Error>, usize) {
    let site = Site::serving(Encrypted::new(by, name, time).await);
    let results =
        r#"{"results": [{"url": "https://a.example/", "title": "A", "content": "Tea."}]}"#;
    let json = [("content-type", "application/json")];
    site.answer("/search?q=tea&format=json", Answer::of(200, &json, results));
    let mut config = config(Some(format!("https://localhost:{}", site.address.port())));
    config.air_gap = true;
    let house = House::new(config, Reader::absent(), FakeNames::site(), &site);
    let request = SearchRequest {
        context: None,
        query: "tea".to_owned(),
        max_results: 3,
        content: WebContent::Summary,
    };
    let answer = house.service.search(request).await;
    (answer.map(|found| found.claims.len()), site.seen().len())
}

async fn with_a_root_of_our_own(trusted: &Root) {
    let (answer, requests) = read(trusted, HOST, Time::Now).await;
    assert!(matches!(answer, ReadAnswer::Page(_)), "{answer:?}");
    assert!(requests > 0);
    let (found, requests) = search(trusted, "localhost", Time::Now).await;
    assert_eq!((found.unwrap(), requests), (1, 1));

    // The same name, so that nothing but the key tells them apart.
    let stranger = root("tests");
    for (by, own, other, time) in [
        (&stranger, HOST, "localhost", Time::Now),
        (trusted, "other.example", "other.example", Time::Now),
        (trusted, HOST, "localhost", Time::Over),
    ] {
        let (answer, requests) = read(by, own, time).await;
        let ReadAnswer::Failed(failure) = answer else {
            panic!("a page was read: {answer:?}");
        };
        assert_eq!(failure.fault, PageFault::Unreachable, "{failure:?}");
        assert_eq!(requests, 0, "nothing is asked of whoever it is");
        let (found, requests) = search(by, other, time).await;
        assert!(matches!(found, Err(Error::Unavailable { .. })), "{found:?}");
        assert_eq!(requests, 0, "no query is told to whoever it is");
    }
}

#[tokio::test]
async fn only_a_trusted_certificate_for_the_name_and_the_time_is_taken() {
    if let Some(key) = std::env::var_os(ROOT) {
        let key = KeyPair::from_pem(&std::fs::read_to_string(key).unwrap()).unwrap();
        return with_a_root_of_our_own(&root_with("tests", key)).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let trusted = root("tests");
    let (file, key) = (
        folder.path().join("root.pem"),
        folder.path().join("key.pem"),
    );
    std::fs::write(&file, trusted.pem()).unwrap();
    std::fs::write(&key, trusted.key().serialize_pem()).unwrap();
    let ended = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", TEST, "--nocapture"])
        .env("SSL_CERT_FILE", &file)
        .env_remove("SSL_CERT_DIR")
        .env(ROOT, &key)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}{errors}");
    assert!(
        said.contains("1 passed"),
        "the test is called {TEST}: {said}"
    );
}
