//! A site, a name server and a model of our own, and a service that is let through to the site.

use api::audit::Entry;
use api::models::{
    ChatChunk, ChatRequest, EmbedRequest, Embeddings, Error, ErrorKind, ModelInfo, Models,
    ProviderHealth,
};
use api::search::{PageFault, PageSummary, ReadAnswer, ReadRequest, Search};
use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use axum::serve::Listener;
use contracts::{FakeAudit, FakeModels, FakeSecrets};
use domain::Timestamp;
use domain::message::Message;
use domain::model::{FinishReason, ModelChoice, ModelRef, Usage};
use domain::rights::WebContent;
use futures::StreamExt;
use search::{Config, Names, Service};
use serde_json::json;
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// The name that leads to the site.
pub const HOST: &str = "site.example";

/// The folder of the fixture pages.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/site")
}

/// A request that the site was sent.
#[derive(Debug, Clone)]
pub struct Seen {
    pub path: String,
    pub headers: HashMap<String, String>,
}

/// What the site does beside serving its pages.
#[derive(Default)]
pub struct Behaviour {
    pub robots: Option<(u16, String)>,
    /// Answers to single paths, tried before the pages: status, headers and body.
    pub answers: HashMap<String, Answer>,
}

/// One answer.
#[derive(Clone, Default)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The body again and again, without end.
    pub endless: bool,
    /// Nothing comes after the headers.
    pub silent: bool,
}

impl Answer {
    pub fn page(text: &str) -> Self {
        Self::of(200, &[("content-type", "text/html; charset=utf-8")], text)
    }

    pub fn of(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        let headers = headers
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        Self {
            status,
            headers: headers.collect(),
            body: body.as_ref().to_vec(),
            ..Self::default()
        }
    }

    pub fn redirect(to: &str) -> Self {
        Self::of(302, &[("location", to)], "")
    }
}

/// A page long enough to say something.
pub fn article(text: &str) -> Answer {
    Answer::page(&format!(
        "<html><head><title>A page</title></head><body><article><p>{text}</p><p>It goes on for a \
         while, with words enough that nobody takes it for an empty page.</p></article></body></html>"
    ))
}

type Shared = Arc<(Mutex<Behaviour>, Mutex<Vec<Seen>>)>;

/// A site on this machine.
pub struct Site {
    pub address: SocketAddr,
    shared: Shared,
}

impl Site {
    pub async fn start() -> Self {
        Self::listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await
    }

    /// At an address of the test's choice; port 0 for any.
    pub async fn listen(address: SocketAddr) -> Self {
        Self::serving(tokio::net::TcpListener::bind(address).await.unwrap())
    }

    /// With a listener of the test's choice.
    pub fn serving(listener: impl Listener<Addr = SocketAddr>) -> Self {
        let address = listener.local_addr().unwrap();
        let shared = Shared::default();
        let router = Router::new()
            .fallback(serve)
            .with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, shared }
    }

    /// The site of another process, seen from here.
    pub fn at(address: SocketAddr, like: &Self) -> Self {
        Self {
            address,
            shared: Arc::clone(&like.shared),
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{HOST}:{}{path}", self.address.port())
    }

    /// The address of a fixture page.
    pub fn page(&self, name: &str) -> String {
        self.url(&format!("/page/{name}"))
    }

    pub fn answer(&self, path: &str, answer: Answer) -> &Self {
        let mut behaviour = self.shared.0.lock().unwrap();
        behaviour.answers.insert(path.to_owned(), answer);
        self
    }

    pub fn robots(&self, status: u16, rules: &str) {
        self.shared.0.lock().unwrap().robots = Some((status, rules.to_owned()));
    }

    /// Every request so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.1.lock().unwrap().clone()
    }

    /// How often a path was asked for.
    pub fn count(&self, path: &str) -> usize {
        self.seen().iter().filter(|seen| seen.path == path).count()
    }
}

async fn serve(State(shared): State<Shared>, request: Request) -> Response {
    let path = request.uri().to_string();
    let headers = request.headers().iter();
    let headers =
        headers.map(|(k, v)| (k.to_string(), String::from_utf8_lossy(v.as_bytes()).into()));
    shared.1.lock().unwrap().push(Seen {
        path: path.clone(),
        headers: headers.collect(),
    });
    let answer = answer_to(&shared, &path, &request);
    let mut response = Response::builder().status(answer.status);
    for (name, value) in &answer.headers {
        response = response.header(name, value);
    }
    let body = if answer.silent {
        Body::from_stream(futures::stream::pending::<io::Result<Bytes>>())
    } else if answer.endless {
        let piece = Bytes::from(answer.body);
        Body::from_stream(futures::stream::repeat(piece).map(io::Result::Ok))
    } else {
        Body::from(answer.body)
    };
    response.body(body).unwrap()
}

fn answer_to(shared: &Shared, path: &str, request: &Request) -> Answer {
    let behaviour = shared.0.lock().unwrap();
    if path == "/robots.txt" {
        return match &behaviour.robots {
            Some((status, rules)) => Answer::of(*status, &[("content-type", "text/plain")], rules),
            None => Answer::of(404, &[], ""),
        };
    }
    if let Some(answer) = behaviour.answers.get(path) {
        let asked = request
            .headers()
            .get("if-none-match")
            .map(|tag| tag.to_str().unwrap());
        let tag = answer.headers.iter().find(|(name, _)| name == "etag");
        if tag.is_some_and(|(_, tag)| asked == Some(tag)) {
            return Answer::of(304, &[], "");
        }
        return answer.clone();
    }
    if let Some(query) = path.strip_prefix("/index?q=") {
        return index(query, request);
    }
    let name = path.strip_prefix("/page/").unwrap_or("none");
    for (extension, kind) in [("html", "text/html"), ("txt", "text/plain; charset=utf-8")] {
        if let Ok(body) = std::fs::read(fixtures().join(format!("{name}.{extension}"))) {
            return Answer::of(200, &[("content-type", kind)], body);
        }
    }
    Answer::of(404, &[("content-type", "text/html")], "<h1>404</h1>")
}

/// The pages whose main text has a word of a query, for a search server to find.
fn index(query: &str, request: &Request) -> Answer {
    let port = request.headers().get("host").unwrap().to_str().unwrap();
    let port = port.rsplit(':').next().unwrap();
    let words: Vec<String> = query.split(['+', '%']).map(str::to_lowercase).collect();
    let mut found = Vec::new();
    for entry in std::fs::read_dir(fixtures()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_none_or(|extension| extension != "main") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let score = words
            .iter()
            .filter(|word| text.to_lowercase().contains(*word))
            .count();
        if score > 0 {
            let url = format!("http://{HOST}:{port}/page/{name}");
            found.push((
                score,
                json!({"url": url, "title": name, "content": &text[..120]}),
            ));
        }
    }
    found.sort_by_key(|(score, _)| usize::MAX - score);
    let results: Vec<_> = found.into_iter().map(|(_, result)| result).collect();
    let body = json!({"results": results}).to_string();
    Answer::of(200, &[("content-type", "application/json")], body)
}

/// A name server whose answers are scripted: each name gives its answers in turn, the last one for
/// ever.
#[derive(Default)]
pub struct FakeNames(Mutex<HashMap<String, Vec<Vec<IpAddr>>>>);

impl FakeNames {
    pub fn new(names: &[(&str, &[&[&str]])]) -> Arc<Self> {
        let parse = |answer: &&[&str]| answer.iter().map(|ip| ip.parse().unwrap()).collect();
        let names = names
            .iter()
            .map(|(name, answers)| ((*name).to_owned(), answers.iter().map(parse).collect()));
        Arc::new(Self(Mutex::new(names.collect())))
    }

    /// One that knows the site alone.
    pub fn site() -> Arc<Self> {
        Self::new(&[(HOST, &[&["127.0.0.1"]])])
    }
}

#[async_trait]
impl Names for FakeNames {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let mut names = self.0.lock().unwrap();
        let unknown = || io::Error::new(io::ErrorKind::NotFound, "no such name");
        let answers = names.get_mut(name).ok_or_else(unknown)?;
        Ok(if answers.len() > 1 {
            answers.remove(0)
        } else {
            answers[0].clone()
        })
    }
}

/// A model that answers each page by a rule: what it is shown goes in, what it says comes out.
pub struct Reader(pub fn(&str) -> String);

impl Reader {
    /// One that repeats the first sentence of what it is shown.
    pub fn honest() -> Arc<dyn Models> {
        Arc::new(Self(|shown| {
            let page = shown.split_once("web_page").map_or("", |(_, page)| page);
            let body: Vec<&str> = page
                .lines()
                .skip(1)
                .filter(|line| line.len() > 40)
                .collect();
            let sentence = body.first().copied().unwrap_or("nothing");
            let sentence = sentence.split_inclusive(". ").next().unwrap_or_default();
            json!({"summary": sentence, "claims": [{"claim": sentence, "confidence": 0.9}]})
                .to_string()
        }))
    }

    /// One that always says the same.
    pub fn absent() -> Arc<dyn Models> {
        Arc::new(FakeModels::new([]))
    }
}

#[async_trait]
impl Models for Reader {
    async fn chat(&self, request: ChatRequest) -> Result<api::Streaming<ChatChunk, Error>, Error> {
        assert!(request.tools.is_empty(), "a quarantined model has no tools");
        assert!(request.response_schema.is_some(), "it answers in a form");
        let Some(Message::User { text }) = request.messages.last() else {
            panic!("no question");
        };
        let model = ModelRef {
            provider: "test".to_owned(),
            model: "reader".to_owned(),
        };
        let usage = Usage {
            prompt_tokens: 7,
            ..Usage::default()
        };
        let chunks = [
            ChatChunk::Started {
                model,
                reason: "the only one".to_owned(),
            },
            ChatChunk::Text((self.0)(text)),
            ChatChunk::Usage(usage),
            ChatChunk::Finished(FinishReason::Stop),
        ];
        Ok(futures::stream::iter(chunks.map(Ok)).boxed())
    }

    async fn embed(&self, _: EmbedRequest) -> Result<Embeddings, Error> {
        Err(Error::new(ErrorKind::NotConfigured, "none"))
    }

    async fn list_models(&self) -> Result<Vec<ModelInfo>, Error> {
        Ok(Vec::new())
    }

    async fn count_tokens(&self, _: ModelChoice, text: String) -> Result<u64, Error> {
        Ok(text.len() as u64 / 4)
    }

    async fn health(&self) -> Result<Vec<ProviderHealth>, Error> {
        Ok(Vec::new())
    }
}

/// What time it is in these tests.
pub fn today() -> Timestamp {
    "2026-01-15T12:00:00Z".parse().unwrap()
}

/// A service and what it is made of.
pub struct House {
    pub service: Service,
    pub audit: Arc<FakeAudit>,
    pub folder: TempDir,
    pub now: Arc<Mutex<Timestamp>>,
}

/// A configuration for tests: no pauses between pages.
pub fn config(url: Option<String>) -> Config {
    Config {
        url,
        host_pause_ms: 0,
        ..Config::default()
    }
}

impl House {
    pub fn new(
        config: Config,
        models: Arc<dyn Models>,
        names: Arc<FakeNames>,
        site: &Site,
    ) -> Self {
        let (audit, folder) = (Arc::new(FakeAudit::new()), TempDir::new().unwrap());
        let now = Arc::new(Mutex::new(today()));
        let clock = {
            let now = Arc::clone(&now);
            Arc::new(move || *now.lock().unwrap())
        };
        let secrets = Arc::new(FakeSecrets::default().with("search-key", "key-0123456789"));
        let outside = (models, secrets as _, Arc::clone(&audit) as _);
        let own = (folder.path(), clock as _);
        let service = Service::for_tests(config, outside, own, names, vec![site.address]).unwrap();
        Self {
            service,
            audit,
            folder,
            now,
        }
    }

    /// One that reads pages of a site with an honest model.
    pub fn of(site: &Site) -> Self {
        Self::new(config(None), Reader::honest(), FakeNames::site(), site)
    }

    pub async fn read(&self, url: &str, content: WebContent) -> ReadAnswer {
        let request = ReadRequest {
            context: None,
            url: url.to_owned(),
            question: "What does the page say?".to_owned(),
            content,
        };
        self.service.read(request).await.unwrap()
    }

    pub async fn page(&self, url: &str) -> PageSummary {
        match self.read(url, WebContent::Extracted).await {
            ReadAnswer::Page(page) => page,
            ReadAnswer::Failed(failure) => panic!("{failure:?}"),
        }
    }

    pub async fn fault(&self, url: &str) -> PageFault {
        match self.read(url, WebContent::Summary).await {
            ReadAnswer::Page(page) => panic!("{url} was read: {page:?}"),
            ReadAnswer::Failed(failure) => failure.fault,
        }
    }

    /// What is on record.
    pub fn records(&self) -> Vec<Entry> {
        self.audit.entries()
    }
}
