//! How much and how long anything may be here.

use std::time::Duration;

/// Most connections at one time; beyond, the oldest that has shown no token makes room.
pub const CONNECTIONS: usize = 2_048;
/// How long a connection may at least take to show its token before it makes room.
pub const CONNECTION_GRACE: Duration = Duration::from_millis(500);
/// Longest the head of a request may take, and a connection may idle between two.
pub const HEAD_TIME: Duration = Duration::from_secs(10);
/// Largest head of a request, bytes.
pub const HEAD_BYTES: usize = 32 << 10;
/// Most header lines of a request.
pub const HEADERS: usize = 64;
/// Largest body of a request, bytes: room for a conversation that fills the largest contexts.
pub const BODY_BYTES: usize = 8 << 20;
/// Longest the body of a request may take.
pub const BODY_TIME: Duration = Duration::from_secs(20);
/// Longest a reader may take nothing of an answer that waits for it.
pub const READER_STALL: Duration = Duration::from_secs(30);
/// How often a stream says that it lives, where nothing else is to be said.
pub const HEART_BEAT: Duration = Duration::from_secs(10);
/// How often a session that nobody has open is looked at for a stream that waits for it.
pub const WAITING_LOOK: Duration = Duration::from_secs(1);
/// Requests that a token may make at once, and in a minute from then on.
pub const REQUESTS_A_MINUTE: u32 = 600;
/// Most tokens, or addresses of those who show none, whose requests are counted at a time.
pub const RATES: usize = 1_024;
/// Sessions of a page of a listing, unless the request says otherwise.
pub const PAGE: usize = 50;
/// Most sessions of a page of a listing.
pub const PAGE_MOST: usize = 500;
/// How long pages are of the listing that the first one was of.
pub const LISTING_TIME: Duration = Duration::from_secs(5);
/// Requests of a page of a session's history, unless the request says otherwise.
pub const HISTORY_REQUESTS: usize = 50;
/// Most requests of such a page.
pub const HISTORY_REQUESTS_MOST: usize = 200;
/// Events of such a page with which it ends although it may have more requests.
pub const HISTORY_EVENTS: usize = 5_000;
/// Numbers of events that are looked at first for where such a page begins; twice as many each time after.
pub const HISTORY_LOOK: u64 = 2_048;
/// How long a session is held that no request needs any more.
pub const HOLD_TIME: Duration = Duration::from_secs(15 * 60);
/// How often such sessions are looked for.
pub const HOLD_LOOK: Duration = Duration::from_secs(60);
/// Events on their way to a reader.
pub const EVENTS_AHEAD: usize = 64;
/// Most access tokens.
pub const TOKENS: usize = 256;
/// Largest file of access tokens, bytes.
pub const TOKEN_FILE_BYTES: u64 = 256 << 10;
/// How long a login code counts that nobody showed.
pub const LOGIN_CODE_TIME: Duration = Duration::from_secs(5 * 60);
/// Most login codes that count at once.
pub const LOGIN_CODES: usize = 16;
/// Largest file of login codes, bytes.
pub const LOGIN_CODE_FILE_BYTES: u64 = 16 << 10;
/// Largest body of a request that shows a login code, bytes.
pub const LOGIN_BYTES: usize = 1 << 10;
/// Most browsers that are logged in.
pub const LOGINS: usize = 32;
/// How long a login counts that is not used.
pub const LOGIN_IDLE: Duration = Duration::from_secs(12 * 60 * 60);
/// How long a login counts at most.
pub const LOGIN_LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Longest that open connections have to end once the server is told to stop.
pub const DRAIN: Duration = Duration::from_secs(3);
/// Conversations of OpenAI clients that are remembered to be gone on with.
pub const CONVERSATIONS: usize = 1_024;
/// Most messages of a conversation that an OpenAI client sends.
pub const MESSAGES: usize = 2_000;
/// Most tools of its own that an OpenAI client offers in a request.
pub const CLIENT_TOOLS: usize = 128;
/// Most texts that vectors are asked for at once.
pub const EMBEDDED_TEXTS: usize = 2_048;
/// Largest file of a certificate or of its key, bytes.
pub const TLS_FILE_BYTES: u64 = 256 << 10;
