//! The line to a bus: which address, and no longer than it may take.

use api::signals::Error;
use std::path::Path;
use std::time::Duration;
use zbus::Connection;
use zbus::connection::Builder;

/// Longest a bus and who is on it may take to answer.
pub const ANSWER_TIME: Duration = Duration::from_secs(2);

/// Where logind is, unless the environment says otherwise.
const SYSTEM_BUS: &str = "unix:path=/var/run/dbus/system_bus_socket";

/// The address of the session bus that the environment names.
pub(crate) fn session_bus() -> Result<String, Error> {
    if let Some(named) = variable("DBUS_SESSION_BUS_ADDRESS") {
        return Ok(named);
    }
    let folder = variable("XDG_RUNTIME_DIR").ok_or_else(|| {
        Error::new("neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR names a session bus")
    })?;
    Ok(format!(
        "unix:path={}",
        Path::new(&folder).join("bus").display()
    ))
}

/// The address of the system bus.
pub(crate) fn system_bus() -> String {
    variable("DBUS_SYSTEM_BUS_ADDRESS").unwrap_or_else(|| SYSTEM_BUS.to_owned())
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Connects.
pub(crate) async fn connect(address: &str) -> Result<Connection, Error> {
    let builder = Builder::address(socket(address)?).map_err(explained)?;
    builder.build().await.map_err(explained)
}

/// The first of the addresses. One that is no socket is refused: an address may also name a program
/// to start, or another machine.
fn socket(address: &str) -> Result<&str, Error> {
    let mut all = address.split(';').filter(|one| !one.is_empty());
    if !all.clone().all(|one| one.starts_with("unix:")) {
        return Err(Error::new(
            "the address of the bus is no unix socket; write unix:path=…",
        ));
    }
    all.next()
        .ok_or_else(|| Error::new("the bus has no address"))
}

/// What comes of it in time.
pub(crate) async fn within<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    match tokio::time::timeout(ANSWER_TIME, work).await {
        Ok(done) => done,
        Err(elapsed) => {
            let detail = format!("no answer on D-Bus within {} s", ANSWER_TIME.as_secs());
            Err(Error::new(detail).with_source(elapsed))
        }
    }
}

/// The bus's error in words.
pub(crate) fn explained(error: zbus::Error) -> Error {
    let detail = match &error {
        zbus::Error::MethodError(..) | zbus::Error::FDO(_) => error.to_string(),
        _ => format!("there is no such bus here, or it does not work ({error})"),
    };
    Error::new(detail).with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_socket_of_this_machine_is_an_address() {
        assert_eq!(socket("unix:path=/a;unix:path=/b").unwrap(), "unix:path=/a");
        for wrong in [
            "",
            ";",
            "unixexec:path=/bin/sh",
            "tcp:host=192.0.2.1,port=1",
            "unix:path=/a;unixexec:path=/bin/sh",
            "autolaunch:",
        ] {
            assert!(socket(wrong).is_err(), "{wrong}");
        }
    }
}
