//! A secret store in memory.

use crate::secrets::{Error, SecretValue, Secrets};
use async_trait::async_trait;
use std::collections::BTreeMap;

/// Secrets by name.
#[derive(Default)]
pub struct FakeSecrets {
    values: BTreeMap<String, String>,
}

impl FakeSecrets {
    /// With one more secret.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.values.insert(name.to_owned(), value.to_owned());
        self
    }
}

#[async_trait]
impl Secrets for FakeSecrets {
    async fn get_secret(&self, name: &str) -> Result<SecretValue, Error> {
        match self.values.get(name) {
            Some(value) => Ok(SecretValue::new(value.as_bytes().to_vec())),
            None => Err(Error::NotFound {
                name: name.to_owned(),
            }),
        }
    }
}
