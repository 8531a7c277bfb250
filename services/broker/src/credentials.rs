//! Secrets at the moment of execution: fetched for one call, handed to the executor alone, and
//! taken out of everything that comes back.

use crate::call::Call;
use crate::state::lock;
use api::executor::{FailureKind, ToolFailure, Words};
use api::secrets::{Error, SecretValue, Secrets};
use async_trait::async_trait;
use domain::tool::ToolOutput;
use policy::flow::Needles;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Longest a secret store may take.
const SECRET_TIME: Duration = Duration::from_secs(2);

/// The store of a broker that was given none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoSecrets;

#[async_trait]
impl Secrets for NoSecrets {
    async fn get_secret(&self, _: &str) -> Result<SecretValue, Error> {
        Err(Error::Unavailable {
            detail: "no secret store is set up".to_owned(),
        })
    }
}

impl Call {
    /// The secrets that fill the tool's slots, by argument name. From now on the session's results
    /// are searched for them.
    pub(crate) async fn credentials(&self) -> Result<BTreeMap<String, SecretValue>, ToolFailure> {
        let known = self.inner.policy.table().find(&self.request.tool);
        let slots = known
            .map(|(_, tool)| tool.spec.secrets.clone())
            .unwrap_or_default();
        let mut filled = BTreeMap::new();
        for (argument, name) in slots {
            let secrets: Arc<dyn Secrets> = self.inner.secrets.clone();
            let fetch = secrets.get_secret(&name);
            let value = match tokio::time::timeout(SECRET_TIME, fetch).await {
                Ok(Ok(value)) => value,
                Ok(Err(error)) => return Err(missing(&name, &error.to_string())),
                Err(_) => return Err(missing(&name, "the secret store took too long")),
            };
            if let Ok(text) = std::str::from_utf8(value.expose()) {
                lock(&self.caller.session).needles.add(text);
            }
            filled.insert(argument, value);
        }
        Ok(filled)
    }

    fn needles(&self) -> Needles {
        lock(&self.caller.session).needles.clone()
    }

    /// The text without any secret of the session.
    pub(crate) fn scrubbed(&self, text: &str) -> String {
        self.needles().scrub(text).into_owned()
    }

    /// The output without any secret of the session, in every form it may have taken.
    pub(crate) fn scrubbed_output(&self, mut output: ToolOutput) -> ToolOutput {
        let needles = self.needles();
        output.text = needles.scrub(&output.text).into_owned();
        output.origin = needles.scrub(&output.origin).into_owned();
        scrub_value(&mut output.data, &needles);
        for artifact in &mut output.artifacts {
            *artifact = needles.scrub(artifact).into_owned();
        }
        output
    }
}

fn missing(name: &str, why: &str) -> ToolFailure {
    ToolFailure {
        kind: FailureKind::Broken,
        rule: "secret_unavailable",
        message: format!(
            "The tool needs the secret `{name}`, and {why}. Report this; the user has to set it."
        ),
        words: Words::Own,
    }
}

fn scrub_value(value: &mut Value, needles: &Needles) {
    match value {
        Value::String(text) => *text = needles.scrub(text).into_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| scrub_value(item, needles)),
        Value::Object(fields) => {
            let old = std::mem::take(fields);
            for (key, mut field) in old {
                scrub_value(&mut field, needles);
                fields.insert(needles.scrub(&key).into_owned(), field);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
