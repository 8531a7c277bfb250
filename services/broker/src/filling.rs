//! Secrets in a call: one that fills a tool's slot is fetched for one call and handed to the executor
//! alone; and every one that this process read is taken out of what tools return.

use crate::call::Call;
use api::executor::{FailureKind, ToolFailure, Words};
use api::secrets::{SecretValue, Secrets as _};
use domain::tool::ToolOutput;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;
use text::secrets::Needles;

/// Longest a secret store may take.
const SECRET_TIME: Duration = Duration::from_secs(2);

impl Call {
    /// The secrets that fill the tool's slots, by argument name. From now on every result is searched
    /// for them, however short they are.
    pub(crate) async fn credentials(&self) -> Result<BTreeMap<String, SecretValue>, ToolFailure> {
        let known = self.inner.policy.table().find(&self.request.tool);
        let slots = known
            .map(|(_, tool)| tool.spec.secrets.clone())
            .unwrap_or_default();
        let mut filled = BTreeMap::new();
        for (argument, name) in slots {
            let fetch = self.inner.secrets.get_secret(&name);
            let value = match tokio::time::timeout(SECRET_TIME, fetch).await {
                Ok(Ok(value)) => value,
                Ok(Err(error)) => return Err(missing(&name, &error.to_string())),
                Err(_) => return Err(missing(&name, "the secret store took too long")),
            };
            self.inner.secrets.remember(&value);
            filled.insert(argument, value);
        }
        Ok(filled)
    }

    /// The text without any secret that this process read.
    pub(crate) fn scrubbed(&self, text: &str) -> String {
        self.inner.secrets.needles().scrub(text).into_owned()
    }

    /// The output without any secret that this process read, in every form it may have taken.
    pub(crate) fn scrubbed_output(&self, mut output: ToolOutput) -> ToolOutput {
        let needles = self.inner.secrets.needles();
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
        rule: "secret_unavailable".into(),
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
