//! What every request works with.

use crate::connections::Connections;
use crate::conversations::Conversations;
use crate::host::Host;
use crate::listings::Listings;
use crate::login_codes::LoginCodes;
use crate::logins::{LoginId, Logins};
use crate::looks::Looks;
use crate::metrics::Metrics;
use crate::names::Names;
use crate::rates::Rates;
use crate::tokens::{Scope, Token, Tokens};
use api::audit::Audit;
use api::models::Models;
use api::sessions::Sessions;
use domain::Timestamp;
use domain::token::TokenName;
use std::net::IpAddr;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

use crate::held::Held;

/// What every request works with.
pub(crate) struct Inner {
    pub(crate) sessions: Arc<dyn Sessions>,
    pub(crate) host: Arc<dyn Host>,
    /// Asked for clients that want a model, and no agent.
    pub(crate) gateway: Arc<dyn Models>,
    /// Has each time that they were.
    pub(crate) audit: Arc<dyn Audit>,
    pub(crate) tokens: Tokens,
    /// What browsers may show once.
    pub(crate) codes: LoginCodes,
    /// The browsers that are logged in.
    pub(crate) logins: Logins,
    /// What the cookie of a login is called: a browser has one jar for all ports of this machine.
    pub(crate) cookie: String,
    pub(crate) rates: Rates<TokenName>,
    /// What is left to those who show nothing that counts, by their addresses.
    pub(crate) strangers: Rates<IpAddr>,
    pub(crate) held: Held,
    pub(crate) conversations: Conversations,
    /// Whether somebody has a session open, and its last event, for the streams that wait for it.
    pub(crate) looks: Looks<(bool, u64)>,
    pub(crate) listings: Listings,
    pub(crate) connections: Connections,
    pub(crate) metrics: Metrics,
    /// What a request may say it was sent to.
    pub(crate) names: Names,
    /// Cancelled when the server is to stop.
    pub(crate) stopping: CancellationToken,
}

/// The same, shared.
pub(crate) type App = Arc<Inner>;

/// Who asks.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// Under which name requests are counted and answers stand on record.
    pub(crate) name: TokenName,
    pub(crate) scope: Scope,
    shown: Shown,
}

/// What was shown.
#[derive(Debug, Clone)]
enum Shown {
    Token(Token),
    Login(LoginId),
}

impl Caller {
    /// A program by its token.
    pub(crate) fn by(token: Token) -> Self {
        Self {
            name: token.name.clone(),
            scope: token.scope,
            shown: Shown::Token(token),
        }
    }

    /// The user, in the page.
    pub(crate) fn logged_in(name: TokenName, scope: Scope, id: LoginId) -> Self {
        let shown = Shown::Login(id);
        Self { name, scope, shown }
    }
}

impl Inner {
    /// Whether what a caller showed still counts.
    pub(crate) fn still_counts(&self, caller: &Caller) -> bool {
        match &caller.shown {
            Shown::Token(token) => self.tokens.still_counts(token, Timestamp::now()),
            Shown::Login(id) => self.logins.still_counts(id, Timestamp::now()),
        }
    }

    /// Ends a caller's login.
    pub(crate) fn log_out(&self, caller: &Caller) {
        if let Shown::Login(id) = &caller.shown {
            self.logins.end(id, Timestamp::now());
        }
    }
}
