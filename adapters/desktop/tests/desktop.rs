//! Notifications and presence on a real bus of their own, with a stand-in at the other end.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use api::signals::{Notice, Notifier};
use desktop::{Notifications, Presence};
use domain::drive::{Presence as State, Signal};
use futures::StreamExt;
use futures::stream::BoxStream;
use std::collections::HashMap;
use std::os::unix::net::UnixListener;
use testkit::{DESKTOP_KEYRING, Desktop, is_absent};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use zbus::connection::Builder;
use zbus::fdo::{self, Properties};
use zbus::object_server::SignalEmitter;
use zbus::zvariant::{OwnedObjectPath, OwnedValue};
use zbus::{Connection, interface};

const SESSION_PATH: &str = "/org/freedesktop/login1/session/_32";

fn notice() -> Notice {
    Notice {
        title: "Housecarl asks".to_owned(),
        body: "a <b>question</b> & more".to_owned(),
    }
}

/// What came in: who says so, title, text, urgency, number of buttons.
type Shown = (String, String, String, u8, usize);

struct Screen(UnboundedSender<Shown>);

#[interface(name = "org.freedesktop.Notifications")]
impl Screen {
    #[expect(clippy::too_many_arguments, reason = "the specification's own list")]
    fn notify(
        &self,
        app_name: String,
        _replaces_id: u32,
        _app_icon: String,
        summary: String,
        body: String,
        actions: Vec<String>,
        hints: HashMap<String, OwnedValue>,
        _expire_timeout: i32,
    ) -> u32 {
        let urgency = u8::try_from(&hints["urgency"]).unwrap();
        let shown = (app_name, summary, body, urgency, actions.len());
        self.0.send(shown).unwrap();
        7
    }
}

#[tokio::test]
async fn a_notice_arrives_with_its_words_and_without_markup() {
    if is_absent(DESKTOP_KEYRING) {
        return;
    }
    let bus = Desktop::bare();
    let (sender, mut came) = unbounded_channel();
    let _screen = Builder::address(bus.address())
        .unwrap()
        .name("org.freedesktop.Notifications")
        .unwrap()
        .serve_at("/org/freedesktop/Notifications", Screen(sender))
        .unwrap()
        .build()
        .await
        .unwrap();
    let notifications = Notifications::at(bus.address());
    notifications.notify(notice()).await.unwrap();
    let (from, title, body, urgency, buttons) = came.recv().await.unwrap();
    assert_eq!(
        (from.as_str(), title.as_str()),
        ("Housecarl", "Housecarl asks")
    );
    assert_eq!(body, "a &lt;b&gt;question&lt;/b&gt; &amp; more");
    assert_eq!((urgency, buttons), (1, 0));
}

/// The error, which comes by itself.
async fn refused(address: &str) -> String {
    let error = Notifications::at(address).notify(notice()).await;
    error.unwrap_err().to_string()
}

#[tokio::test]
async fn without_anybody_who_shows_it_a_notice_fails_in_time() {
    if is_absent(DESKTOP_KEYRING) {
        return;
    }
    let bus = Desktop::bare();
    let said = refused(bus.address()).await;
    assert!(said.contains("org.freedesktop.Notifications"), "{said}");
}

#[tokio::test]
async fn without_a_bus_that_answers_there_is_an_error_and_no_presence() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| format!("unix:path={}", folder.path().join(name).display());
    let said = refused(&at("none")).await;
    assert!(said.contains("no such bus"), "{said}");
    assert_eq!(Presence::at(at("none")).reports().next().await, None);
    // It accepts in the kernel's queue, and nobody ever reads.
    let _listener = UnixListener::bind(folder.path().join("mute")).unwrap();
    let said = refused(&at("mute")).await;
    assert!(said.contains("within 2 s"), "{said}");
    assert_eq!(Presence::at(at("mute")).reports().next().await, None);
}

#[tokio::test]
async fn the_address_of_a_bus_starts_no_program() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("made");
    let address = format!(
        "unixexec:path=/bin/sh,argv1=-c,argv2=touch {}",
        made.display()
    );
    let said = refused(&address).await;
    assert!(said.contains("no unix socket"), "{said}");
    assert_eq!(Presence::at(address).reports().next().await, None);
    assert!(!made.exists());
}

struct Manager;

#[interface(name = "org.freedesktop.login1.Manager")]
impl Manager {
    fn get_session(&self, id: &str) -> fdo::Result<OwnedObjectPath> {
        match id {
            "auto" => Ok(OwnedObjectPath::try_from(SESSION_PATH).unwrap()),
            other => Err(fdo::Error::Failed(format!("no session {other}"))),
        }
    }
}

struct Login {
    locked: bool,
    idle: bool,
    reads: UnboundedSender<()>,
}

#[interface(name = "org.freedesktop.login1.Session")]
impl Login {
    #[zbus(property)]
    fn idle_hint(&self) -> bool {
        self.idle
    }

    #[zbus(property)]
    fn locked_hint(&self) -> bool {
        self.reads.send(()).unwrap();
        self.locked
    }
}

/// A stand-in for logind, with one session.
struct Logind {
    bus: Desktop,
    connection: Connection,
    reads: UnboundedReceiver<()>,
}

impl Logind {
    async fn new(locked: bool) -> Self {
        let bus = Desktop::bare();
        let (sender, reads) = unbounded_channel();
        let login = Login {
            locked,
            idle: false,
            reads: sender,
        };
        let connection = Builder::address(bus.address())
            .unwrap()
            .serve_at("/org/freedesktop/login1", Manager)
            .unwrap()
            .serve_at(SESSION_PATH, login)
            .unwrap()
            .name("org.freedesktop.login1")
            .unwrap()
            .build()
            .await
            .unwrap();
        Self {
            bus,
            connection,
            reads,
        }
    }

    /// How the session is from now on, and says that something changed.
    async fn set(&self, locked: bool, idle: bool) {
        let server = self.connection.object_server();
        let login = server.interface::<_, Login>(SESSION_PATH).await.unwrap();
        {
            let mut login = login.get_mut().await;
            (login.locked, login.idle) = (locked, idle);
        }
        let emitter = SignalEmitter::new(&self.connection, SESSION_PATH).unwrap();
        let name = "org.freedesktop.login1.Session".try_into().unwrap();
        let changed = ["LockedHint", "IdleHint"].map(Into::into);
        Properties::properties_changed(&emitter, name, HashMap::new(), changed[..].into())
            .await
            .unwrap();
    }

    /// Waits until the session was asked again; nothing is reported meanwhile.
    async fn is_read(&mut self, signals: &mut BoxStream<'static, Signal>) {
        tokio::select! {
            biased;
            read = self.reads.recv() => read.unwrap(),
            signal = signals.next() => panic!("reported {signal:?}"),
        }
    }
}

fn is(presence: State) -> Option<Signal> {
    Some(Signal::Presence { presence })
}

#[tokio::test]
async fn a_lock_is_reported_once_and_so_is_its_end() {
    if is_absent(DESKTOP_KEYRING) {
        return;
    }
    let mut logind = Logind::new(false).await;
    let presence = Presence::at(logind.bus.address());
    let mut signals = presence.reports();
    // Somebody is there, which is no news.
    logind.is_read(&mut signals).await;
    logind.set(true, false).await;
    assert_eq!(signals.next().await, is(State::Locked));
    logind.reads.recv().await.unwrap();
    // Idle behind a locked screen is no news either.
    logind.set(true, true).await;
    logind.is_read(&mut signals).await;
    logind.set(false, true).await;
    assert_eq!(signals.next().await, is(State::Idle));
    logind.set(false, false).await;
    assert_eq!(signals.next().await, is(State::Active));
}

#[tokio::test]
async fn who_listens_anew_is_told_that_the_lock_is_gone() {
    if is_absent(DESKTOP_KEYRING) {
        return;
    }
    let logind = Logind::new(true).await;
    let presence = Presence::at(logind.bus.address());
    let mut signals = presence.reports();
    assert_eq!(signals.next().await, is(State::Locked));
    drop(signals);
    logind.set(false, false).await;
    assert_eq!(presence.reports().next().await, is(State::Active));
}

#[tokio::test]
async fn presence_ends_with_the_bus_and_without_logind() {
    if is_absent(DESKTOP_KEYRING) {
        return;
    }
    let bare = Desktop::bare();
    assert_eq!(Presence::at(bare.address()).reports().next().await, None);
    let Logind {
        bus,
        connection,
        reads: _reads,
    } = Logind::new(true).await;
    let mut signals = Presence::at(bus.address()).reports();
    assert_eq!(signals.next().await, is(State::Locked));
    drop((connection, bus));
    assert_eq!(signals.next().await, None);
}
