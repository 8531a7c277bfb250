//! Search: claims, pages and why some were not read.

use super::{InvalidField, WireEnum, each, number, optional, required, time, wire_enum, wire_time};
use crate::generated as proto;
use api::search::{
    Claim, PageFailure, PageFault, PageSummary, ReadAnswer, ReadRequest, SearchAnswer,
    SearchRequest,
};
use domain::Timestamp;
use domain::rights::WebContent;
use proto::read_page_response::Answer;

wire_enum!(WebContent, proto::WebContent { Summary, Extracted });

/// A fault as its number and, for one kind, the HTTP status.
const fn wire_fault(fault: PageFault) -> (proto::PageFault, Option<u32>) {
    match fault {
        PageFault::InvalidUrl => (proto::PageFault::InvalidUrl, None),
        PageFault::Blocked => (proto::PageFault::Blocked, None),
        PageFault::Robots => (proto::PageFault::Robots, None),
        PageFault::Unreachable => (proto::PageFault::Unreachable, None),
        PageFault::Timeout => (proto::PageFault::Timeout, None),
        PageFault::Status(status) => (proto::PageFault::Status, Some(status as u32)),
        PageFault::Redirects => (proto::PageFault::Redirects, None),
        PageFault::TooLarge => (proto::PageFault::TooLarge, None),
        PageFault::ContentType => (proto::PageFault::ContentType, None),
        PageFault::NoText => (proto::PageFault::NoText, None),
    }
}

fn fault(code: i32, status: Option<u32>) -> Result<PageFault, InvalidField> {
    let fault =
        proto::PageFault::try_from(code).map_err(|unknown| InvalidField::new("fault", unknown))?;
    Ok(match fault {
        proto::PageFault::Unspecified => return Err(InvalidField::missing("fault")),
        proto::PageFault::InvalidUrl => PageFault::InvalidUrl,
        proto::PageFault::Blocked => PageFault::Blocked,
        proto::PageFault::Robots => PageFault::Robots,
        proto::PageFault::Unreachable => PageFault::Unreachable,
        proto::PageFault::Timeout => PageFault::Timeout,
        proto::PageFault::Status => {
            let status = status.ok_or_else(|| InvalidField::missing("status"))?;
            PageFault::Status(number(status, "status")?)
        }
        proto::PageFault::Redirects => PageFault::Redirects,
        proto::PageFault::TooLarge => PageFault::TooLarge,
        proto::PageFault::ContentType => PageFault::ContentType,
        proto::PageFault::NoText => PageFault::NoText,
    })
}

/// A time that may be absent.
fn maybe_time(
    value: Option<prost_types::Timestamp>,
    field: &str,
) -> Result<Option<Timestamp>, InvalidField> {
    value.map(|value| time(Some(value), field)).transpose()
}

impl From<SearchRequest> for proto::SearchRequest {
    fn from(request: SearchRequest) -> Self {
        Self {
            context: request.context.map(Into::into),
            query: request.query,
            max_results: request.max_results,
            content: request.content.to_wire(),
        }
    }
}

impl TryFrom<proto::SearchRequest> for SearchRequest {
    type Error = InvalidField;

    fn try_from(wire: proto::SearchRequest) -> Result<Self, InvalidField> {
        Ok(Self {
            context: optional(wire.context, "context")?,
            query: wire.query,
            max_results: wire.max_results,
            content: WireEnum::from_wire(wire.content, "content")?,
        })
    }
}

impl From<Claim> for proto::Claim {
    fn from(claim: Claim) -> Self {
        Self {
            claim: claim.claim,
            source_url: claim.source_url,
            confidence: claim.confidence,
            date: claim.date.map(wire_time),
            summary: claim.summary,
            extracted: claim.extracted,
        }
    }
}

impl TryFrom<proto::Claim> for Claim {
    type Error = InvalidField;

    fn try_from(wire: proto::Claim) -> Result<Self, InvalidField> {
        if !(0.0..=1.0).contains(&wire.confidence) {
            let problem = format_args!("{} is not between 0 and 1", wire.confidence);
            return Err(InvalidField::new("confidence", problem));
        }
        Ok(Self {
            claim: wire.claim,
            source_url: wire.source_url,
            confidence: wire.confidence,
            date: maybe_time(wire.date, "date")?,
            summary: wire.summary,
            extracted: wire.extracted,
        })
    }
}

impl From<PageFailure> for proto::PageFailure {
    fn from(failure: PageFailure) -> Self {
        let (fault, status) = wire_fault(failure.fault);
        Self {
            url: failure.url,
            fault: fault.into(),
            status,
            detail: failure.detail,
        }
    }
}

impl TryFrom<proto::PageFailure> for PageFailure {
    type Error = InvalidField;

    fn try_from(wire: proto::PageFailure) -> Result<Self, InvalidField> {
        Ok(Self {
            url: wire.url,
            fault: fault(wire.fault, wire.status)?,
            detail: wire.detail,
        })
    }
}

impl From<SearchAnswer> for proto::SearchResponse {
    fn from(answer: SearchAnswer) -> Self {
        Self {
            today: Some(wire_time(answer.today)),
            claims: answer.claims.into_iter().map(Into::into).collect(),
            failures: answer.failures.into_iter().map(Into::into).collect(),
            label: Some(answer.label.into()),
        }
    }
}

impl TryFrom<proto::SearchResponse> for SearchAnswer {
    type Error = InvalidField;

    fn try_from(wire: proto::SearchResponse) -> Result<Self, InvalidField> {
        Ok(Self {
            today: time(wire.today, "today")?,
            claims: each(wire.claims, "claims")?,
            failures: each(wire.failures, "failures")?,
            label: required(wire.label, "label")?,
        })
    }
}

impl From<ReadRequest> for proto::ReadPageRequest {
    fn from(request: ReadRequest) -> Self {
        Self {
            context: request.context.map(Into::into),
            url: request.url,
            question: request.question,
            content: request.content.to_wire(),
        }
    }
}

impl TryFrom<proto::ReadPageRequest> for ReadRequest {
    type Error = InvalidField;

    fn try_from(wire: proto::ReadPageRequest) -> Result<Self, InvalidField> {
        Ok(Self {
            context: optional(wire.context, "context")?,
            url: wire.url,
            question: wire.question,
            content: WireEnum::from_wire(wire.content, "content")?,
        })
    }
}

impl From<PageSummary> for proto::PageSummary {
    fn from(page: PageSummary) -> Self {
        Self {
            url: page.url,
            title: page.title,
            summary: page.summary,
            extracted: page.extracted,
            language: page.language,
            date: page.date.map(wire_time),
            label: Some(page.label.into()),
        }
    }
}

impl TryFrom<proto::PageSummary> for PageSummary {
    type Error = InvalidField;

    fn try_from(wire: proto::PageSummary) -> Result<Self, InvalidField> {
        Ok(Self {
            url: wire.url,
            title: wire.title,
            summary: wire.summary,
            extracted: wire.extracted,
            language: wire.language,
            date: maybe_time(wire.date, "date")?,
            label: required(wire.label, "label")?,
        })
    }
}

impl From<ReadAnswer> for proto::ReadPageResponse {
    fn from(answer: ReadAnswer) -> Self {
        let answer = match answer {
            ReadAnswer::Page(page) => Answer::Page(page.into()),
            ReadAnswer::Failed(failure) => Answer::Failed(failure.into()),
        };
        Self {
            answer: Some(answer),
        }
    }
}

impl TryFrom<proto::ReadPageResponse> for ReadAnswer {
    type Error = InvalidField;

    fn try_from(wire: proto::ReadPageResponse) -> Result<Self, InvalidField> {
        match wire.answer {
            None => Err(InvalidField::missing("answer")),
            Some(Answer::Page(page)) => required(Some(page), "page").map(Self::Page),
            Some(Answer::Failed(failure)) => required(Some(failure), "failed").map(Self::Failed),
        }
    }
}
