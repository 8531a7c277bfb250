//! A secret store in memory.

use api::secrets::{Error, Keeper, Kept, SecretName, SecretValue, Secrets, check_value};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Secrets by name.
#[derive(Default)]
pub struct FakeSecrets {
    values: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl FakeSecrets {
    /// With one more secret.
    #[must_use]
    pub fn with(self, name: &str, value: &str) -> Self {
        self.values()
            .insert(name.to_owned(), value.as_bytes().to_vec());
        self
    }

    fn values(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn not_found(name: &str) -> Error {
    Error::NotFound {
        name: name.to_owned(),
    }
}

#[async_trait]
impl Secrets for FakeSecrets {
    async fn get_secret(&self, name: &str) -> Result<SecretValue, Error> {
        let name: SecretName = name.parse()?;
        let value = self.values().get(name.as_str()).cloned();
        value
            .map(SecretValue::new)
            .ok_or_else(|| not_found(name.as_str()))
    }
}

#[async_trait]
impl Keeper for FakeSecrets {
    async fn set(&self, name: &SecretName, value: SecretValue) -> Result<Kept, Error> {
        check_value(&value)?;
        let bytes = value.expose().to_vec();
        Ok(match self.values().insert(name.to_string(), bytes) {
            Some(_) => Kept::Replaced,
            None => Kept::Added,
        })
    }

    async fn remove(&self, name: &SecretName) -> Result<(), Error> {
        match self.values().remove(name.as_str()) {
            Some(_) => Ok(()),
            None => Err(not_found(name.as_str())),
        }
    }

    async fn names(&self) -> Result<Vec<SecretName>, Error> {
        self.values().keys().map(|name| name.parse()).collect()
    }
}
