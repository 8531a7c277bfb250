//! Bytes from someone who means harm, or speaks something else: the endpoint goes on serving.

use crate::support::{Transport, serve};
use api::models::Models;
use contracts::{FakeAudit, FakeBroker, FakeGuard, FakeModels, FakeSessions, within};
use domain::model::{ModelChoice, ModelRole};
use futures::StreamExt;
use grpc::Endpoint;
use grpc::server::Builder;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use prost::Message;
use prost::bytes::{Buf, BufMut};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::{Code, Request, Status};

fn everything() -> Builder {
    let broker = FakeBroker::new();
    Builder::new()
        .audit(Arc::new(FakeAudit::new()))
        .models(Arc::new(FakeModels::default()))
        .broker(Arc::new(broker.clone()))
        .control(Arc::new(broker))
        .sessions(Arc::new(FakeSessions::new()))
        .guard(Arc::new(FakeGuard))
}

/// The same bytes in every run.
fn runner() -> TestRunner {
    let seed = *b"the same bytes in every test run";
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    TestRunner::new_with_rng(Default::default(), rng)
}

fn bytes(runner: &mut TestRunner, most: usize) -> Vec<u8> {
    let strategy = proptest::collection::vec(proptest::prelude::any::<u8>(), 0..most);
    strategy.new_tree(runner).unwrap().current()
}

/// Writes and reads what comes back until the server closes, or lets it wait for more.
async fn pour(endpoint: &Endpoint, bytes: &[u8]) {
    async fn exchange(mut stream: impl AsyncReadExt + AsyncWriteExt + Unpin, bytes: &[u8]) {
        // The server may close at any moment; only that it goes on serving matters.
        let _ = stream.write_all(bytes).await;
        let _ = stream.shutdown().await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
    }
    let pouring = async {
        match endpoint {
            Endpoint::Unix(path) => {
                exchange(UnixStream::connect(path).await.unwrap(), bytes).await;
            }
            Endpoint::Tcp { host, port } => {
                let stream = TcpStream::connect((host.as_str(), *port)).await.unwrap();
                exchange(stream, bytes).await;
            }
        }
    };
    within("the server lets go of nonsense", pouring).await;
}

async fn still_serves(endpoint: &Endpoint) {
    let client = grpc::models::Client::connect(endpoint);
    let counting = client.count_tokens(ModelChoice::Role(ModelRole::Fast), "four".to_owned());
    assert_eq!(
        within("an honest call is answered", counting)
            .await
            .unwrap(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_no_protocol_do_no_harm() {
    let mut runner = runner();
    for transport in Transport::ALL {
        let served = serve(transport, everything()).await;
        for round in 0..50 {
            let mut message = match round % 3 {
                0 => Vec::new(),
                1 => b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
                _ => b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
            };
            message.extend(bytes(&mut runner, 2_000));
            pour(&served.endpoint, &message).await;
        }
        still_serves(&served.endpoint).await;
        assert!(!served.task.is_finished());
    }
}

/// Sends bytes as they are.
struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let length = buffer.remaining();
        Ok(Some(buffer.copy_to_bytes(length).to_vec()))
    }
}

/// The path of every method there is.
fn methods() -> Vec<PathAndQuery> {
    let files = prost_types::FileDescriptorSet::decode(proto::DESCRIPTORS)
        .unwrap()
        .file;
    let mut paths = Vec::new();
    for file in &files {
        for service in &file.service {
            for method in &service.method {
                let (package, service) = (file.package(), service.name());
                let path = format!("/{package}.{service}/{}", method.name());
                paths.push(path.parse().unwrap());
            }
        }
    }
    paths
}

async fn call(endpoint: &Endpoint, path: PathAndQuery, message: Vec<u8>) -> Option<Status> {
    let target = match endpoint {
        Endpoint::Unix(path) => format!("unix://{}", path.display()),
        Endpoint::Tcp { host, port } => format!("http://{host}:{port}"),
    };
    let channel = tonic::transport::Endpoint::from_shared(target)
        .unwrap()
        .connect_lazy();
    let mut grpc = Grpc::new(channel);
    grpc.ready().await.unwrap();
    let request = Request::new(message);
    match grpc.server_streaming(request, path, Raw).await {
        Ok(answer) => {
            let mut answers = answer.into_inner().take(8);
            while let Some(answer) = answers.next().await {
                if let Err(status) = answer {
                    return Some(status);
                }
            }
            None
        }
        Err(status) => Some(status),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_are_nonsense_are_refused_by_every_method() {
    let mut runner = runner();
    let served = serve(Transport::Unix, everything()).await;
    let methods = methods();
    assert!(methods.len() > 35, "{}", methods.len());
    for path in methods {
        for _ in 0..10 {
            let message = bytes(&mut runner, 60);
            let calling = call(&served.endpoint, path.clone(), message);
            let status = within("nonsense is answered", calling).await;
            // A method without fields takes anything; all others say what is wrong.
            let code = status.map(|status| status.code());
            let refusals = [
                None,
                Some(Code::InvalidArgument),
                Some(Code::Internal),
                Some(Code::Unimplemented),
            ];
            assert!(refusals.contains(&code), "{path}: {code:?}");
        }
    }
    still_serves(&served.endpoint).await;
}

#[tokio::test]
async fn an_empty_message_is_refused_with_the_missing_field_and_a_reason_code() {
    let served = serve(Transport::Unix, everything()).await;
    let path = "/housecarl.v1.Broker/Execute".parse().unwrap();
    let status = call(&served.endpoint, path, Vec::new()).await.unwrap();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "field `context`: is required");
    let info = tonic_types::StatusExt::get_details_error_info(&status).unwrap();
    assert_eq!(info.reason, proto::INVALID_REQUEST);
    assert_eq!(info.domain, "housecarl");
    assert_eq!(info.metadata["field"], "context");
}
