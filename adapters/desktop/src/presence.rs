//! Whether somebody is at the machine, as logind says of the user's session.
//!
//! `LockedHint` and `IdleHint` are kept by the desktop. A signal of the bus is only a reason to ask
//! logind: what another program puts into one is not believed.

use crate::line;
use api::signals::{Error, Source};
use domain::drive::{Presence as State, Signal};
use domain::id::SessionId;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use zbus::message::Type;
use zbus::zvariant::{OwnedObjectPath, OwnedValue};
use zbus::{Connection, MatchRule, MessageStream};

const NAME: &str = "org.freedesktop.login1";
const PATH: &str = "/org/freedesktop/login1";
const MANAGER: &str = "org.freedesktop.login1.Manager";
const SESSION: &str = "org.freedesktop.login1.Session";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
/// logind's word for the caller's own session or, for a program that the user's service manager
/// started, the session of the user's display.
const OWN: &str = "auto";

/// The presence of the user who runs this program.
#[derive(Debug, Clone, Default)]
pub struct Presence {
    address: Option<String>,
    /// Whether anybody was ever told something else than that somebody is there.
    was_away: Arc<AtomicBool>,
}

impl Presence {
    /// By the system bus.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// By the bus at an address, such as `unix:path=/run/dbus/system_bus_socket`.
    #[must_use]
    pub fn at(address: impl Into<String>) -> Self {
        Self {
            address: Some(address.into()),
            ..Self::default()
        }
    }
}

impl Source for Presence {
    fn signals(&self, _session_id: SessionId) -> BoxStream<'static, Result<Signal, Error>> {
        self.reports().map(Ok).boxed()
    }
}

impl Presence {
    /// Reports changes, and at first how it is unless somebody is there, which is what everybody
    /// takes for granted. Ends where there is no logind or no session.
    pub fn reports(&self) -> BoxStream<'static, Signal> {
        let address = self.address.clone().unwrap_or_else(line::system_bus);
        let was_away = Arc::clone(&self.was_away);
        let opening = async move {
            match line::within(Session::find(&address)).await {
                Ok(session) => changes(session, was_away),
                Err(error) => {
                    tracing::info!(%error, "nothing says whether somebody is at the machine");
                    futures::stream::empty().boxed()
                }
            }
        };
        futures::stream::once(opening).flatten().boxed()
    }
}

fn changes(session: Session, was_away: Arc<AtomicBool>) -> BoxStream<'static, Signal> {
    // Someone who listens anew may have heard before that nobody is there.
    let assumed = (!was_away.load(Ordering::Relaxed)).then_some(State::Active);
    let start = (session, assumed);
    let stream = futures::stream::unfold(start, move |(mut session, mut known)| {
        let was_away = Arc::clone(&was_away);
        async move {
            loop {
                match session.next().await {
                    Ok(now) if known == Some(now) => {}
                    Ok(now) => {
                        known = Some(now);
                        if now != State::Active {
                            was_away.store(true, Ordering::Relaxed);
                        }
                        let signal = Signal::Presence { presence: now };
                        return Some((signal, (session, known)));
                    }
                    Err(error) => {
                        tracing::info!(%error, "it is no longer known whether somebody is at the machine");
                        return None;
                    }
                }
            }
        }
    });
    stream.boxed()
}

/// One session of logind, listened to.
struct Session {
    bus: Connection,
    path: OwnedObjectPath,
    changes: MessageStream,
    is_read: bool,
}

impl Session {
    async fn find(address: &str) -> Result<Self, Error> {
        let bus = line::connect(address).await?;
        let reply = bus
            .call_method(Some(NAME), PATH, Some(MANAGER), "GetSession", &OWN)
            .await
            .map_err(line::explained)?;
        let path: OwnedObjectPath = reply.body().deserialize().map_err(line::explained)?;
        // Listening comes before reading, so that no change falls between the two.
        let rule = rule(&path).map_err(line::explained)?;
        let changes = MessageStream::for_match_rule(rule, &bus, None)
            .await
            .map_err(line::explained)?;
        Ok(Self {
            bus,
            path,
            changes,
            is_read: false,
        })
    }

    /// How it is: at once the first time, then whenever something of the session changed.
    async fn next(&mut self) -> Result<State, Error> {
        if self.is_read {
            let change = self.changes.next().await;
            change
                .ok_or_else(|| Error::new("the bus ended"))?
                .map_err(line::explained)?;
            // One question answers all changes that are there already.
            while let Some(Some(more)) = self.changes.next().now_or_never() {
                more.map_err(line::explained)?;
            }
        }
        self.is_read = true;
        line::within(self.read()).await
    }

    async fn read(&self) -> Result<State, Error> {
        let reply = self
            .bus
            .call_method(Some(NAME), &self.path, Some(PROPERTIES), "GetAll", &SESSION)
            .await
            .map_err(line::explained)?;
        let all: HashMap<String, OwnedValue> =
            reply.body().deserialize().map_err(line::explained)?;
        Ok(state(&all))
    }
}

fn rule(path: &OwnedObjectPath) -> zbus::Result<MatchRule<'_>> {
    let rule = MatchRule::builder()
        .msg_type(Type::Signal)
        .sender(NAME)?
        .path(path)?
        .interface(PROPERTIES)?
        .member("PropertiesChanged")?
        .arg(0, SESSION)?;
    Ok(rule.build())
}

/// A property that is missing or no boolean is taken for false.
fn state(all: &HashMap<String, OwnedValue>) -> State {
    let says = |name: &str| {
        let value = all.get(name).map(bool::try_from);
        matches!(value, Some(Ok(true)))
    };
    if says("LockedHint") {
        State::Locked
    } else if says("IdleHint") {
        State::Idle
    } else {
        State::Active
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_counts_more_than_idleness_and_what_is_unknown_for_nothing() {
        let all = |pairs: &[(&str, OwnedValue)]| {
            let pairs = pairs.iter();
            let map: HashMap<String, OwnedValue> = pairs
                .map(|(name, value)| ((*name).to_owned(), value.try_clone().unwrap()))
                .collect();
            state(&map)
        };
        let (yes, no) = (OwnedValue::from(true), OwnedValue::from(false));
        let yes = || yes.try_clone().unwrap();
        assert_eq!(
            all(&[("LockedHint", yes()), ("IdleHint", yes())]),
            State::Locked
        );
        assert_eq!(all(&[("LockedHint", no), ("IdleHint", yes())]), State::Idle);
        assert_eq!(
            all(&[("LockedHint", OwnedValue::from(1_u32))]),
            State::Active
        );
        assert_eq!(all(&[]), State::Active);
    }
}
