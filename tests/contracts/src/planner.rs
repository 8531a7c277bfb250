//! A planner outside that answers as it was told to.

use api::planner::{Error, Planner, Request};
use async_trait::async_trait;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Gives its answers in order, and keeps what it was told.
#[derive(Debug, Default)]
pub struct FakePlanner {
    answers: Mutex<VecDeque<Result<Value, Error>>>,
    requests: Mutex<Vec<Request>>,
}

impl FakePlanner {
    /// With these answers; after the last there is none.
    pub fn new(answers: impl IntoIterator<Item = Result<Value, Error>>) -> Self {
        Self {
            answers: Mutex::new(answers.into_iter().collect()),
            requests: Mutex::default(),
        }
    }

    /// What it was told, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        let requests = self.requests.lock();
        requests.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Planner for FakePlanner {
    async fn plan(&self, request: Request) -> Result<Value, Error> {
        let requests = self.requests.lock();
        requests
            .unwrap_or_else(PoisonError::into_inner)
            .push(request);
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.pop_front().unwrap_or(Err(Error::NoAnswer))
    }
}
