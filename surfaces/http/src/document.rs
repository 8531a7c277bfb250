//! The description of all paths, as OpenAPI 3.1 has it, made of the table of routes itself.

use crate::access::Need;
use crate::route::{Route, Shape};
use utoipa::openapi::path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    Components, ComponentsBuilder, ContentBuilder, HttpMethod, InfoBuilder, ObjectBuilder, OpenApi,
    OpenApiBuilder, Paths, Ref, Required, Type,
};

/// What the token is called in the description.
pub(crate) const SCHEME: &str = "token";

/// The description of these routes.
pub(crate) fn document(routes: &[Route]) -> OpenApi {
    let mut components = Components::new();
    let scheme = Http::new(HttpAuthScheme::Bearer);
    components.add_security_scheme(SCHEME, SecurityScheme::Http(scheme));
    let mut paths = Paths::new();
    for route in routes {
        for shape in route.about.body.iter().chain(&route.about.answer.shape) {
            components = with(components, shape);
        }
        let operation = operation(route);
        paths.add_path_operation(path(route), vec![method(route)], operation);
    }
    let info = InfoBuilder::new()
        .title("Housecarl")
        .description(Some("Sessions with agents, for programs on this machine."))
        .version("1")
        .build();
    OpenApiBuilder::new()
        .info(info)
        .paths(paths)
        .components(Some(components))
        .build()
}

fn with(components: Components, shape: &Shape) -> Components {
    let (name, schema, others) = shape();
    let builder = ComponentsBuilder::from(components).schema(name, schema);
    builder.schemas_from_iter(others).build()
}

/// The path as the description has it: `{*rest}` is a name as any other.
pub(crate) fn path(route: &Route) -> String {
    route.path.replace("{*", "{")
}

fn method(route: &Route) -> HttpMethod {
    match route.method {
        "POST" => HttpMethod::Post,
        "DELETE" => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}

fn operation(route: &Route) -> OperationBuilder {
    let about = &route.about;
    let summary = match route.need {
        Need::Nothing => format!("{} Needs no token.", about.summary),
        Need::Code => format!("{} Needs a login code.", about.summary),
        Need::Token(scope) => format!("{} Needs the scope `{scope}`.", about.summary),
    };
    let answer = ResponseBuilder::new().description(about.summary);
    let answer = match (&about.answer.shape, about.answer.kind) {
        (_, "") => answer,
        (Some(shape), kind) => answer.content(kind, content(shape)),
        (None, kind) => answer.content(kind, anything(kind)),
    };
    let told = ResponseBuilder::new().description("A problem, with a code of docs/errors.md.");
    let told = told.content(route.problem_type(), anything("application/json"));
    let mut operation = OperationBuilder::new()
        .summary(Some(summary))
        .parameters(Some(parameters(route)))
        .response(about.answer.status.to_string(), answer)
        .response("default", told);
    if let Some(shape) = &about.body {
        let body = RequestBodyBuilder::new()
            .content("application/json", content(shape))
            .required(Some(Required::True));
        operation = operation.request_body(Some(body.build()));
    }
    if matches!(route.need, Need::Token(_)) {
        let needs = SecurityRequirement::new(SCHEME, Vec::<String>::new());
        operation = operation.security(needs);
    }
    operation
}

fn content(shape: &Shape) -> utoipa::openapi::Content {
    let (name, ..) = shape();
    ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(name)))
        .build()
}

/// A text, or JSON whose form stands elsewhere.
fn anything(kind: &str) -> utoipa::openapi::Content {
    let is_json = kind.contains("json");
    let schema = match is_json {
        true => ObjectBuilder::new(),
        false => ObjectBuilder::new().schema_type(Type::String),
    };
    ContentBuilder::new().schema(Some(schema.build())).build()
}

fn parameters(route: &Route) -> Vec<Parameter> {
    let text = || ObjectBuilder::new().schema_type(Type::String).build();
    let of = |name: &str, place: ParameterIn, required: Required| {
        ParameterBuilder::new()
            .name(name)
            .parameter_in(place)
            .required(required)
            .schema(Some(text()))
            .build()
    };
    let parts = route.path.split('/').filter_map(|part| {
        let name = part.strip_prefix('{')?.strip_suffix('}')?;
        Some(name.trim_start_matches('*'))
    });
    let in_path = parts.map(|name| of(name, ParameterIn::Path, Required::True));
    let asked = route.about.query.iter();
    let in_query = asked.map(|name| of(name, ParameterIn::Query, Required::False));
    in_path.chain(in_query).collect()
}
