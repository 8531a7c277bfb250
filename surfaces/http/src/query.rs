//! What stands behind the question mark of an address.

use crate::problem::Problem;
use axum::http::Uri;
use std::collections::BTreeMap;
use std::str::FromStr;

/// The parameters of an address.
#[derive(Debug)]
pub(crate) struct Parameters(BTreeMap<String, String>);

impl Parameters {
    /// Those of an address, which may have no others than these.
    pub(crate) fn of(uri: &Uri, known: &[&str]) -> Result<Self, Problem> {
        let query = uri.query().unwrap_or_default();
        let mut all = BTreeMap::new();
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            if !known.contains(&name.as_ref()) {
                let known = known.join(", ");
                let said = format!("there is no parameter `{name}`; there are: {known}");
                return Err(Problem::invalid(said));
            }
            if all
                .insert(name.clone().into_owned(), value.into_owned())
                .is_some()
            {
                return Err(Problem::invalid(format!("`{name}` is given twice")));
            }
        }
        Ok(Self(all))
    }

    /// The value of one.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The value of one as what it has to be.
    pub(crate) fn parsed<T: FromStr>(&self, name: &str) -> Result<Option<T>, Problem> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let wrong = |_| Problem::invalid(format!("`{name}={value}` cannot be used"));
        value.parse().map(Some).map_err(wrong)
    }
}
