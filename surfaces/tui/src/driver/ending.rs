//! Signals that end the UI, also where the terminal takes no output.

use crate::modes;
use std::io;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep};

/// How long one output that the terminal does not take is waited for, once the program was told to end.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often it is looked whether the terminal took it.
const LOOK: Duration = Duration::from_millis(250);

/// Tells of each signal that ends the UI as a key would. SIGINT is not among them: in an editor, Ctrl+C is for
/// that one.
///
/// # Errors
/// When a signal cannot be watched.
pub(super) fn signals() -> io::Result<UnboundedReceiver<()>> {
    let (told, tells) = unbounded_channel();
    for kind in [
        SignalKind::terminate(),
        SignalKind::quit(),
        SignalKind::alarm(),
        SignalKind::user_defined1(),
        SignalKind::user_defined2(),
    ] {
        tokio::spawn(watch(signal(kind)?, kind, told.clone()));
    }
    Ok(tells)
}

/// Whoever writes to the terminal stands still while it takes nothing, so that this has a task of its own.
async fn watch(mut signal: Signal, kind: SignalKind, told: UnboundedSender<()>) {
    while signal.recv().await.is_some() {
        if told.send(()).is_err() {
            return;
        }
        let (mut last, mut since) = (modes::being_written(), Instant::now());
        while !modes::are_set_back() {
            sleep(LOOK).await;
            let now = modes::being_written();
            if now.is_none() || now != last {
                (last, since) = (now, Instant::now());
            } else if since.elapsed() >= PATIENCE {
                modes::give_up();
                std::process::exit(128 + kind.as_raw_value());
            }
        }
    }
}
