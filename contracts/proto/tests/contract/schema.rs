//! The wire schema as text: a change that breaks other versions shows as a difference.

use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorSet,
    ServiceDescriptorProto,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const PACKAGE: &str = "housecarl.v1";

fn descriptors() -> FileDescriptorSet {
    FileDescriptorSet::decode(proto::DESCRIPTORS).unwrap()
}

fn short(name: &str) -> &str {
    name.trim_start_matches('.')
        .trim_start_matches(PACKAGE)
        .trim_start_matches('.')
}

fn field_type(field: &FieldDescriptorProto) -> String {
    let scalar = format!("{:?}", field.r#type()).to_lowercase();
    let name = match field.r#type() {
        Type::Message | Type::Enum => short(field.type_name()).to_owned(),
        _ => scalar,
    };
    match field.label() {
        Label::Repeated => format!("repeated {name}"),
        _ if field.proto3_optional() => format!("optional {name}"),
        _ => name,
    }
}

fn write_message(out: &mut String, outer: &str, message: &DescriptorProto) {
    let name = format!("{outer}{}", message.name());
    writeln!(out, "message {name}").unwrap();
    for field in &message.field {
        let oneof = match field.oneof_index {
            Some(index) if !field.proto3_optional() => {
                format!(" in {}", message.oneof_decl[index as usize].name())
            }
            _ => String::new(),
        };
        let (number, label) = (field.number(), field_type(field));
        writeln!(out, "  {number} {}: {label}{oneof}", field.name()).unwrap();
    }
    let inner = format!("{name}.");
    message
        .enum_type
        .iter()
        .for_each(|e| write_enum(out, &inner, e));
    message
        .nested_type
        .iter()
        .for_each(|m| write_message(out, &inner, m));
}

fn write_enum(out: &mut String, outer: &str, list: &EnumDescriptorProto) {
    writeln!(out, "enum {outer}{}", list.name()).unwrap();
    for value in &list.value {
        writeln!(out, "  {} {}", value.number(), value.name()).unwrap();
    }
}

fn write_service(out: &mut String, service: &ServiceDescriptorProto) {
    writeln!(out, "service {}", service.name()).unwrap();
    for method in &service.method {
        let stream = |is_stream: bool| if is_stream { "stream " } else { "" };
        writeln!(
            out,
            "  {}({}{}) -> {}{}",
            method.name(),
            stream(method.client_streaming()),
            short(method.input_type()),
            stream(method.server_streaming()),
            short(method.output_type()),
        )
        .unwrap();
    }
}

#[test]
fn the_wire_schema_matches_its_snapshot() {
    let mut out = String::new();
    let files = descriptors().file;
    for file in files.iter().filter(|file| file.package() == PACKAGE) {
        writeln!(out, "\nfile {}", file.name()).unwrap();
        file.service
            .iter()
            .for_each(|service| write_service(&mut out, service));
        file.enum_type
            .iter()
            .for_each(|list| write_enum(&mut out, "", list));
        file.message_type
            .iter()
            .for_each(|message| write_message(&mut out, "", message));
    }
    insta::assert_snapshot!("wire_schema", out);
}

#[test]
fn every_enum_has_an_absent_value_and_services_do_not_grow() {
    let mut names = BTreeMap::new();
    for file in descriptors()
        .file
        .iter()
        .filter(|file| file.package() == PACKAGE)
    {
        let nested = file
            .message_type
            .iter()
            .flat_map(|message| &message.enum_type);
        for list in file.enum_type.iter().chain(nested) {
            let zero = list.value.iter().find(|value| value.number() == 0);
            let zero = zero.map(|value| value.name().to_owned());
            assert!(
                zero.is_some_and(|name| name.ends_with("_UNSPECIFIED")),
                "{}",
                list.name()
            );
        }
        for service in &file.service {
            names.insert(service.name().to_owned(), service.method.len());
        }
    }
    let services: BTreeSet<&str> = names.keys().map(String::as_str).collect();
    let expected = [
        "Audit",
        "Broker",
        "BrokerControl",
        "Guard",
        "Memory",
        "MemoryCurator",
        "Models",
        "Presence",
        "Search",
        "Secrets",
        "Sessions",
        "Signals",
    ];
    assert_eq!(services, BTreeSet::from(expected));
    // Nothing but appending and nothing but getting: these two never grow a way to read or write.
    assert_eq!((names["Audit"], names["Secrets"]), (2, 1));
}

/// The names of a message's oneof fields.
pub fn oneof_fields(message: &str) -> BTreeSet<String> {
    let files = descriptors().file;
    let mut messages = files.iter().flat_map(|file| &file.message_type);
    let message = messages
        .find(|candidate| candidate.name() == message)
        .unwrap();
    let fields = message.field.iter();
    let in_oneof =
        |field: &&FieldDescriptorProto| field.oneof_index.is_some() && !field.proto3_optional();
    fields
        .filter(in_oneof)
        .map(|field| field.name().to_owned())
        .collect()
}
