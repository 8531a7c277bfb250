//! A path: what it asks of whoever asks for it, and what it takes and gives.

use crate::access::{Need, Told, plainly};
use crate::app::App;
use axum::routing::MethodRouter;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

/// The form of a body: its name, its schema, and those that it needs.
pub(crate) type Form = (String, RefOr<Schema>, Vec<(String, RefOr<Schema>)>);

/// The same, made when it is asked for.
pub(crate) type Shape = fn() -> Form;

/// One thing that can be asked for.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) need: Need,
    pub(crate) told: Told,
    pub(crate) answer: MethodRouter<App>,
    pub(crate) about: About,
}

/// What is described of it.
pub(crate) struct About {
    pub(crate) summary: &'static str,
    /// Its parameters behind the question mark.
    pub(crate) query: &'static [&'static str],
    pub(crate) body: Option<Shape>,
    pub(crate) answer: Given,
}

/// What is given.
pub(crate) struct Given {
    pub(crate) status: u16,
    /// Its type; empty for no body.
    pub(crate) kind: &'static str,
    pub(crate) shape: Option<Shape>,
}

const JSON: &str = "application/json";

fn shape<T: ToSchema>() -> Form {
    let mut others = Vec::new();
    T::schemas(&mut others);
    (T::name().into_owned(), T::schema(), others)
}

/// A path that gives JSON, and takes nothing.
pub(crate) fn route(
    method: &'static str,
    path: &'static str,
    need: Need,
    answer: MethodRouter<App>,
    summary: &'static str,
) -> Route {
    Route {
        method,
        path,
        need,
        told: plainly,
        answer,
        about: About {
            summary,
            query: &[],
            body: None,
            answer: Given {
                status: 200,
                kind: JSON,
                shape: None,
            },
        },
    }
}

impl Route {
    /// With these parameters behind the question mark.
    pub(crate) fn asked(mut self, query: &'static [&'static str]) -> Self {
        self.about.query = query;
        self
    }

    /// With a body of this form.
    pub(crate) fn takes<T: ToSchema>(mut self) -> Self {
        self.about.body = Some(shape::<T>);
        self
    }

    /// With an answer of this form.
    pub(crate) fn gives<T: ToSchema>(mut self, status: u16) -> Self {
        self.about.answer.status = status;
        self.about.answer.shape = Some(shape::<T>);
        self
    }

    /// With an answer of this type.
    pub(crate) fn gives_text(mut self, kind: &'static str) -> Self {
        self.about.answer.kind = kind;
        self
    }

    /// With an answer without a body.
    pub(crate) fn gives_nothing(mut self) -> Self {
        self.about.answer.status = 204;
        self.about.answer.kind = "";
        self
    }

    /// One whose problems are told in another form.
    pub(crate) fn told_by(mut self, told: Told) -> Self {
        self.told = told;
        self
    }

    /// The type of what is said where something went wrong.
    pub(crate) fn problem_type(&self) -> &'static str {
        match self.path.starts_with("/v1/") {
            true => JSON,
            false => "application/problem+json",
        }
    }
}
