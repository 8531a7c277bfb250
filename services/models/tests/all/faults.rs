//! What model servers and networks do wrong, for every protocol behind HTTP.

use crate::support::dialect::{self, ALL, begun, beside, chat_path, content_type, reply};
use crate::support::server::{Part, Reply, Server, unused_port};
use crate::support::{ask, config, gateway, question, service};
use api::models::{ChatChunk, ErrorKind, Models};
use domain::limits;
use domain::model::FinishReason;
use futures::StreamExt;
use models::ProviderType;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How long something is waited for that comes at once on a quiet machine.
const A_WHILE: Duration = Duration::from_secs(120);

/// A server that answers the nth chat as told.
async fn server(
    kind: ProviderType,
    answer: impl Fn(usize) -> Reply + Send + Sync + 'static,
) -> Server {
    let chats = AtomicUsize::new(0);
    Server::start(move |request, _| {
        beside(kind, request).unwrap_or_else(|| answer(chats.fetch_add(1, Ordering::SeqCst)))
    })
    .await
}

fn chats(kind: ProviderType, server: &Server) -> usize {
    server.to(chat_path(kind)).len()
}

#[tokio::test]
async fn a_good_answer_arrives_whole() {
    for kind in ALL {
        let server = server(kind, move |_| reply(kind, "Hello, world.")).await;
        let answer = ask(&gateway(kind, &server.url), question()).await;
        assert!(answer.error.is_none(), "{kind:?}: {:?}", answer.error);
        assert_eq!(answer.text, "Hello, world.", "{kind:?}");
        assert_eq!(answer.model, "test/m");
        assert_eq!(answer.finish, Some(FinishReason::Stop));
        let usage = answer.usage.unwrap();
        assert_eq!(usage.prompt_tokens, 25, "{kind:?}");
        assert_eq!(usage.completion_tokens, 7);
        assert!(answer.notices.is_empty(), "{:?}", answer.notices);
    }
}

#[tokio::test]
async fn nothing_listens() {
    for kind in ALL {
        let port = unused_port().await;
        let answer = ask(
            &gateway(kind, &format!("http://127.0.0.1:{port}")),
            question(),
        )
        .await;
        assert_eq!(answer.kind(), Some(ErrorKind::Unreachable), "{kind:?}");
        assert!(!answer.error.unwrap().hint.is_empty());
    }
}

#[tokio::test]
async fn a_reset_before_the_first_byte_is_tried_again() {
    for kind in ALL {
        let server = server(kind, move |nth| match nth {
            0 => Reply::parts(content_type(kind), vec![Part::Reset]),
            _ => reply(kind, "Hello."),
        })
        .await;
        let answer = ask(&gateway(kind, &server.url), question()).await;
        assert_eq!(answer.text, "Hello.", "{kind:?}: {:?}", answer.error);
        assert_eq!(answer.codes(), ["models.retry"]);
    }
}

#[tokio::test]
async fn a_reset_or_close_in_mid_stream_is_an_error_and_not_tried_again() {
    for kind in ALL {
        for part in [Part::Reset, Part::Close] {
            let gate = Arc::new(Notify::new());
            let opened = Arc::clone(&gate);
            let server = server(kind, move |_| {
                begun(
                    kind,
                    "Hel",
                    vec![Part::Gate(Arc::clone(&opened)), part.clone()],
                )
            })
            .await;
            let service = gateway(kind, &server.url);
            let mut stream = service.chat(question()).await.unwrap();
            let mut text = String::new();
            let error = loop {
                match stream.next().await.unwrap() {
                    Ok(ChatChunk::Text(piece)) => {
                        text.push_str(&piece);
                        gate.notify_one();
                    }
                    Ok(_) => {}
                    Err(error) => break error,
                }
            };
            assert_eq!(error.kind, ErrorKind::Interrupted, "{kind:?}");
            assert_eq!(text, "Hel");
            assert_eq!(chats(kind, &server), 1, "{kind:?}");
        }
    }
}

#[tokio::test]
async fn a_body_that_ends_early_is_an_error() {
    for kind in ALL {
        let server = server(kind, move |_| begun(kind, "Hel", vec![])).await;
        let answer = ask(&gateway(kind, &server.url), question()).await;
        assert_eq!(answer.kind(), Some(ErrorKind::Interrupted), "{kind:?}");
        assert_eq!(answer.finish, None);
    }
}

#[tokio::test]
async fn garbage_is_an_error_of_protocol() {
    for kind in ALL {
        for garbage in ["data: {not json\n\n".as_bytes(), b"data: \xff\xfe\xfd\n\n"] {
            let server = server(kind, move |_| {
                begun(kind, "Hel", vec![Part::Bytes(garbage.to_vec())])
            })
            .await;
            let answer = ask(&gateway(kind, &server.url), question()).await;
            assert_eq!(answer.kind(), Some(ErrorKind::Protocol), "{kind:?}");
            assert_eq!(answer.text, "Hel", "what came before is kept");
        }
    }
}

#[tokio::test]
async fn a_line_of_ten_megabytes_is_refused() {
    for kind in ALL {
        let server = server(kind, move |_| {
            let mut parts = vec![Part::Bytes(b"data: {\"x\":\"".to_vec())];
            parts.extend((0..160).map(|_| Part::Bytes(vec![b'x'; 64 << 10])));
            begun(kind, "Hel", parts)
        })
        .await;
        let answer = ask(&gateway(kind, &server.url), question()).await;
        assert_eq!(answer.kind(), Some(ErrorKind::TooLarge), "{kind:?}");
    }
}

#[tokio::test]
async fn an_answer_without_end_is_refused_at_its_limit() {
    let kind = ProviderType::OpenAi;
    // Not one part over and over, which would be stopped as such.
    let piece: String = (0..20_000).map(|at| format!("{at:05}")).collect();
    let needed = limits::MODEL_ANSWER_BYTES / piece.len() + 2;
    let server = server(kind, move |_| {
        let piece = dialect::text(kind, &piece).into_bytes();
        begun(kind, "", vec![Part::Bytes(piece); needed])
    })
    .await;
    let answer = ask(&gateway(kind, &server.url), question()).await;
    assert_eq!(answer.kind(), Some(ErrorKind::TooLarge));
    assert!(answer.text.len() <= limits::MODEL_ANSWER_BYTES);
    assert!(answer.text.len() > limits::MODEL_ANSWER_BYTES - 200_000);
}

#[tokio::test]
async fn characters_split_over_chunks_are_whole() {
    let said = "é漢🦀ﷺ end";
    for kind in ALL {
        let server = server(kind, move |_| {
            // Servers send characters as they are, not escaped.
            let bytes = dialect::answer(kind, said).into_bytes();
            let parts = bytes
                .chunks(1)
                .map(|byte| Part::Bytes(byte.to_vec()))
                .collect();
            Reply::parts(content_type(kind), parts)
        })
        .await;
        let answer = ask(&gateway(kind, &server.url), question()).await;
        assert_eq!(answer.text, said, "{kind:?}: {:?}", answer.error);
    }
}

#[tokio::test]
async fn too_many_requests_then_an_answer() {
    for kind in ALL {
        let server = server(kind, move |nth| match nth {
            0 => Reply::status(429, &json!({"error": {"message": "slow down"}}))
                .header("retry-after", "0"),
            1 => Reply::status(503, &json!({"error": {"message": "Loading model"}})),
            _ => reply(kind, "Hello."),
        })
        .await;
        let answer = ask(&gateway(kind, &server.url), question()).await;
        assert_eq!(answer.text, "Hello.", "{kind:?}: {:?}", answer.error);
        assert_eq!(answer.codes(), ["models.retry", "models.retry"]);
        assert_eq!(chats(kind, &server), 3);
    }
}

#[tokio::test]
async fn retry_after_is_kept() {
    let kind = ProviderType::OpenAi;
    let server = server(kind, move |nth| match nth {
        0 => Reply::status(429, &json!({"error": "wait"})).header("retry-after", "1"),
        _ => reply(kind, "Hello."),
    })
    .await;
    let started = Instant::now();
    let answer = ask(&gateway(kind, &server.url), question()).await;
    assert_eq!(answer.text, "Hello.");
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_server_that_keeps_failing_is_given_up() {
    for kind in ALL {
        let server = server(kind, |_| Reply::status(500, &json!({"error": "boom"}))).await;
        let answer = ask(&gateway(kind, &server.url), question()).await;
        assert_eq!(answer.kind(), Some(ErrorKind::Server), "{kind:?}");
        assert!(answer.error.unwrap().detail.contains("boom"));
        assert_eq!(chats(kind, &server), 3);
    }
}

#[tokio::test]
async fn what_the_server_refuses_is_not_tried_again() {
    for kind in ALL {
        for (status, body, expected) in [
            (
                401,
                json!({"error": {"message": "bad key"}}),
                ErrorKind::Unauthorised,
            ),
            (
                400,
                json!({"error": "m does not support tools"}),
                ErrorKind::Rejected,
            ),
            (
                400,
                json!({"error": {"message": "maximum context length is 10"}}),
                ErrorKind::ContextOverflow,
            ),
            (
                404,
                json!({"error": "model not found"}),
                ErrorKind::UnknownModel,
            ),
        ] {
            let server = server(kind, move |_| Reply::status(status, &body)).await;
            let answer = ask(&gateway(kind, &server.url), question()).await;
            assert_eq!(answer.kind(), Some(expected), "{kind:?} {status}");
            assert_eq!(chats(kind, &server), 1);
        }
    }
}

#[tokio::test]
async fn no_first_byte() {
    for kind in ALL {
        let server = server(kind, move |_| {
            Reply::parts(content_type(kind), vec![Part::Hang])
        })
        .await;
        let mut config = config(kind, &server.url);
        config.limits.first_byte_ms = Some(100);
        let answer = ask(&service(config), question()).await;
        assert_eq!(answer.kind(), Some(ErrorKind::Timeout), "{kind:?}");
        assert_eq!(chats(kind, &server), 1, "a slow model is not asked twice");
    }
}

#[tokio::test]
async fn a_stall_in_mid_stream() {
    for kind in ALL {
        let server = server(kind, move |_| begun(kind, "Hel", vec![Part::Hang])).await;
        let mut config = config(kind, &server.url);
        config.limits.stall_ms = Some(100);
        let answer = ask(&service(config), question()).await;
        assert_eq!(answer.kind(), Some(ErrorKind::Timeout), "{kind:?}");
        assert_eq!(answer.text, "Hel");
        server.client_left().await;
    }
}

#[tokio::test]
async fn a_slow_drip_ends_at_the_deadline() {
    for kind in ALL {
        let server = server(kind, move |_| {
            let drip = [
                Part::Bytes(b" ".to_vec()),
                Part::Wait(Duration::from_millis(20)),
            ];
            begun(kind, "Hel", drip.into_iter().cycle().take(2_000).collect())
        })
        .await;
        let mut config = config(kind, &server.url);
        config.limits.call_ms = 300;
        let answer = ask(&service(config), question()).await;
        assert_eq!(answer.kind(), Some(ErrorKind::Timeout), "{kind:?}");
        server.client_left().await;
    }
}

#[tokio::test]
async fn a_requests_own_deadline_counts() {
    let kind = ProviderType::OpenAi;
    let server = server(kind, move |_| begun(kind, "Hel", vec![Part::Hang])).await;
    let mut request = question();
    request.deadline = Some(Duration::from_millis(100));
    let answer = ask(&gateway(kind, &server.url), request).await;
    assert_eq!(answer.kind(), Some(ErrorKind::Timeout));
}

#[tokio::test]
async fn an_error_in_mid_stream_reaches_the_caller() {
    for kind in ALL {
        let server = server(kind, move |_| {
            begun(
                kind,
                "Hel",
                vec![Part::Bytes(dialect::failure(kind).into_bytes())],
            )
        })
        .await;
        let answer = ask(&gateway(kind, &server.url), question()).await;
        assert_eq!(answer.kind(), Some(ErrorKind::Server), "{kind:?}");
        assert_eq!(answer.text, "Hel");
        let detail = answer.error.unwrap().detail;
        assert!(
            detail.contains("stopped") || detail.contains("crashed"),
            "{detail}"
        );
    }
}

#[tokio::test]
async fn dropping_the_stream_ends_the_servers_work() {
    for kind in ALL {
        let server = server(kind, move |_| begun(kind, "Hel", vec![Part::Hang])).await;
        let service = gateway(kind, &server.url);
        let mut stream = service.chat(question()).await.unwrap();
        while let Some(chunk) = stream.next().await {
            if matches!(chunk.unwrap(), ChatChunk::Text(_)) {
                break;
            }
        }
        drop(stream);
        tokio::time::timeout(A_WHILE, server.client_left())
            .await
            .expect("the server sees the client go");
    }
}

#[tokio::test]
async fn dropping_the_question_ends_the_servers_work() {
    for kind in ALL {
        let server = server(kind, move |_| {
            Reply::parts(content_type(kind), vec![Part::Hang])
        })
        .await;
        let service = gateway(kind, &server.url);
        tokio::select! {
            _ = service.chat(question()) => panic!("no answer comes"),
            () = async {
                while chats(kind, &server) == 0 {
                    tokio::task::yield_now().await;
                }
            } => {}
        }
        tokio::time::timeout(A_WHILE, server.client_left())
            .await
            .expect("the server sees the client go");
    }
}

#[tokio::test]
async fn the_circuit_opens_and_recovers() {
    for kind in ALL {
        let server = server(kind, move |nth| {
            if nth < 2 {
                Reply::status(500, &json!({"error": "boom"}))
            } else {
                reply(kind, "Hello.")
            }
        })
        .await;
        let mut config = config(kind, &server.url);
        config.limits.tries = 1;
        config.limits.circuit_failures = 2;
        config.limits.circuit_pause_ms = 150;
        let service = service(config);
        for _ in 0..2 {
            assert_eq!(
                ask(&service, question()).await.kind(),
                Some(ErrorKind::Server)
            );
        }
        let answer = ask(&service, question()).await;
        assert_eq!(answer.kind(), Some(ErrorKind::CircuitOpen), "{kind:?}");
        assert_eq!(chats(kind, &server), 2, "nothing is sent while it is open");
        let recovered = async {
            loop {
                let answer = ask(&service, question()).await;
                if answer.kind() != Some(ErrorKind::CircuitOpen) {
                    return answer;
                }
                tokio::task::yield_now().await;
            }
        };
        let answer = tokio::time::timeout(A_WHILE, recovered).await.unwrap();
        assert_eq!(answer.text, "Hello.", "{kind:?}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    for kind in ALL {
        let elsewhere = server(kind, move |_| reply(kind, "I am elsewhere.")).await;
        let place = format!("{}{}", elsewhere.url, chat_path(kind));
        let server = server(kind, move |_| {
            Reply::status(307, &json!({})).header("location", place.clone())
        })
        .await;
        let answer = ask(&gateway(kind, &server.url), question()).await;
        assert_eq!(answer.kind(), Some(ErrorKind::Blocked), "{kind:?}");
        assert!(elsewhere.requests().is_empty());
    }
}

#[tokio::test]
async fn requests_wait_for_their_turn() {
    let kind = ProviderType::OpenAi;
    let server = server(kind, move |nth| match nth {
        0 => begun(kind, "first", vec![Part::Hang]),
        _ => reply(kind, "second"),
    })
    .await;
    let mut config = config(kind, &server.url);
    config.providers.get_mut("test").unwrap().max_parallel = Some(1);
    let service = service(config);
    let held = service.chat(question()).await.unwrap();
    let mut hurried = question();
    hurried.deadline = Some(Duration::from_millis(50));
    assert_eq!(
        ask(&service, hurried).await.kind(),
        Some(ErrorKind::Timeout)
    );
    assert_eq!(
        chats(kind, &server),
        1,
        "the second is not sent while the first runs"
    );
    drop(held);
    assert_eq!(ask(&service, question()).await.text, "second");
}
