//! `carl serve` and `carl web`.

use clap::{Args, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

/// `carl serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// What to serve
    #[arg(long, value_enum, default_value_t = RoleArg::All)]
    pub role: RoleArg,
    /// Where: `unix:/path` or `tcp:127.0.0.1:50051`. Default: a socket in the runtime folder
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// Serve on TCP even though anyone who can reach the address may act as you
    #[arg(long)]
    pub trust_network: bool,
    /// Also serve programs over HTTP, to whoever shows a token (`carl token`)
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:7433")]
    pub http: Option<SocketAddr>,
    /// How HTTP is encrypted
    #[command(flatten)]
    pub tls: TlsArgs,
    /// The configured model provider that answers for all roles, such as `ollama` or `embedded`
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// Refuse every connection but loopback
    #[arg(long)]
    pub air_gap: bool,
}

/// `carl web`.
#[derive(Debug, Args)]
pub struct WebArgs {
    /// Where: an address of this machine
    #[arg(value_name = "ADDRESS", default_value = "127.0.0.1:7433")]
    pub address: SocketAddr,
    /// How it is encrypted
    #[command(flatten)]
    pub tls: TlsArgs,
    /// Print the link, and open no browser
    #[arg(long)]
    pub no_open: bool,
    /// Refuse every connection but loopback
    #[arg(long)]
    pub air_gap: bool,
}

/// How HTTP is encrypted.
#[derive(Debug, Default, Args)]
pub struct TlsArgs {
    /// Encrypt HTTP with this certificate in PEM, and those that vouch for it; other machines may
    /// reach it then
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
}

/// A role that one process can serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RoleArg {
    /// Everything
    All,
    /// The audit log
    Audit,
    /// The model gateway
    Models,
    /// The broker and its tools
    Broker,
    /// Sessions and agents
    Agents,
    /// Memory, for the broker
    Memory,
    /// Search, for the broker
    Search,
    /// Secrets, for the broker and the model gateway alone
    Secrets,
}

impl RoleArg {
    /// Its name, as it is typed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Audit => "audit",
            Self::Models => "models",
            Self::Broker => "broker",
            Self::Agents => "agents",
            Self::Memory => "memory",
            Self::Search => "search",
            Self::Secrets => "secrets",
        }
    }
}
