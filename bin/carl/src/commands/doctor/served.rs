//! Roles that another process serves: whether somebody answers there.

use crate::wiring::House;
use config::Config;
use domain::fault::Fault;
use grpc::Endpoint;
use terminal::doctor::{Check, State};
use terminal::exit::describe;

/// The code of a memory role that does not answer.
const UNREACHABLE: &str = "memory.unreachable";

/// A question that no entry answers.
const QUESTION: &str = "carl-doctor.none";

/// Memory at an address, asked as agents ask it: the role serves no more than that.
pub(super) async fn memory(house: &House, address: &str) -> Check {
    let sides = &house.remembrance.sides;
    match terminal::memory::found(sides.memory.as_ref(), QUESTION).await {
        Ok(_found) => Check::ok("memory", format!("served at {address}, which answers")),
        Err(error) => match describe(&error) {
            (_, Fault { code, message, .. }) if code == UNREACHABLE => {
                silent("memory", address, message)
            }
            // It answers; what it lacks is something else.
            (_, fault) => Check {
                name: "memory",
                state: State::Bad,
                detail: fault.message,
                hint: fault.hint,
            },
        },
    }
}

/// The broker, where it is served elsewhere. Without that the whole path tries it.
pub(super) async fn broker(config: &Config) -> Option<Check> {
    match config.endpoints.broker.as_str() {
        "" => None,
        address => Some(role("broker", address).await),
    }
}

/// A role at an address, of which nothing can be asked without a trace.
pub(super) async fn role(name: &'static str, address: &str) -> Check {
    let answers = match address.parse::<Endpoint>() {
        Ok(endpoint) => grpc::answers(&endpoint).await,
        Err(_told_when_opened) => false,
    };
    match answers {
        true => Check::ok(name, format!("served at {address}, which answers")),
        false => silent(name, address, format!("nothing answers at {address}")),
    }
}

fn silent(name: &'static str, address: &str, detail: String) -> Check {
    let role = name.split(' ').next().unwrap_or(name);
    let network = match address.parse::<Endpoint>() {
        Ok(Endpoint::Tcp { .. }) => format!(" --listen {address} --trust-network"),
        Ok(Endpoint::Unix(_)) | Err(_) => String::new(),
    };
    Check {
        name,
        state: State::Bad,
        detail,
        hint: format!(
            "Start `carl serve --role {role}{network}` there, or correct `{role}` under [endpoints]."
        ),
    }
}
