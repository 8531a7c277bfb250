//! The contract's error: this service has none of its own.

pub use api::secrets::Error;
