//! Chat templates in the shapes that common model families use.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code: a broken promise has to fail loudly"
)]

use domain::id::CallId;
use domain::message::{Message, ToolCall};
use domain::tool::{ToolDefinition, ToolName};
use engine::template::{ChatTemplate, DEFAULT_TEMPLATE, Error, MAX_TEMPLATE_BYTES, Request};
use engine::tools::{CallForm, Offer, Reply};
use serde_json::json;
use std::collections::BTreeMap;

/// Tools, tool calls and results as Qwen and Hermes models read them.
const TAGGED: &str = "\
{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}
    {{- '<tools>' }}
    {%- for tool in tools %}{{- '\\n' }}{{- tool | tojson }}{%- endfor %}
    {{- '\\n</tools>\\nAnswer with <tool_call></tool_call>.<|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'system' and loop.first %}{%- continue %}{%- endif %}
    {%- if message.role == 'tool' %}
        {{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content }}
        {%- for call in message.tool_calls or [] %}
            {%- set call = call.function %}
            {{- '<tool_call>\\n{\"name\": \"' + call.name + '\", \"arguments\": ' }}
            {{- call.arguments | tojson(ensure_ascii=False) }}
            {{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}";

/// No system role, strict turns: Gemma's shape.
const STRICT: &str = "{{ bos_token }}{% if messages[0]['role'] == 'system' %}\
{{ raise_exception('System role not supported') }}{% endif %}\
{% for message in messages %}\
{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}\
{{ raise_exception('Conversation roles must alternate user/assistant') }}{% endif %}\
{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}\
{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}\
{% endfor %}{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}";

/// Headers, a date that may or may not be known, Python methods: Llama 3's shape.
const HEADERS: &str = "{{- bos_token }}\n\
{%- if strftime_now is defined %}{%- set today = strftime_now('%d %b %Y') %}\
{%- else %}{%- set today = '26 Jul 2024' %}{%- endif %}\n\
{%- set ns = namespace(count=0) %}\n\
{%- for message in messages %}{%- set ns.count = ns.count + 1 %}\n\
{{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' }}\
{%- if loop.first and message.role == 'system' %}{{- 'Today: ' + today + '\\n' }}{%- endif %}\
{{- message.content.strip().split('</think>')[-1].lstrip() + '<|eot_id|>' }}\
{%- endfor %}\
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}";

/// Instruction brackets, the system text taken out by slicing: Mistral's shape.
const BRACKETS: &str = "{%- if messages[0]['role'] == 'system' %}{%- set system = messages[0]['content'] %}\
{%- set loop_messages = messages[1:] %}{%- else %}{%- set loop_messages = messages %}{%- endif %}\
{{- bos_token }}{%- for message in loop_messages %}\
{%- if message['role'] == 'user' %}\
{%- if loop.last and system is defined %}{{- '[INST] ' + system + '\n\n' + message['content'] + '[/INST]' }}\
{%- else %}{{- '[INST] ' + message['content'] + '[/INST]' }}{%- endif %}\
{%- elif message['role'] == 'assistant' %}{{- ' ' + message['content'] + eos_token }}\
{%- else %}{{- raise_exception('Only user and assistant roles are supported') }}{%- endif %}{%- endfor %}";

fn system(text: &str) -> Message {
    Message::System {
        text: text.to_owned(),
    }
}

fn user(text: &str) -> Message {
    Message::User {
        text: text.to_owned(),
    }
}

fn assistant(text: &str) -> Message {
    Message::Assistant {
        text: text.to_owned(),
        thinking: None,
        tool_calls: Vec::new(),
    }
}

/// A call of `read_file` and its result.
fn tool_turn() -> [Message; 2] {
    let call_id = CallId::from_uuid(uuid::Uuid::nil());
    let arguments = json!({ "path": "a<b>.md" });
    let call = ToolCall {
        call_id,
        name: "read_file".to_owned(),
        arguments,
    };
    let asked = Message::Assistant {
        text: String::new(),
        thinking: None,
        tool_calls: vec![call],
    };
    let name = ToolName::new("read_file").unwrap();
    [
        asked,
        Message::Tool {
            call_id,
            name,
            text: "The meeting is at ten.".to_owned(),
        },
    ]
}

fn offer() -> Offer {
    let tool = ToolDefinition {
        name: ToolName::new("read_file").unwrap(),
        description: "Reads a text file.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "path": { "type": "string" }, "limit": { "type": "integer" } },
            "required": ["path"],
        }),
    };
    Offer::new(vec![tool], &BTreeMap::new(), Reply::CallOrAnswer, None).unwrap()
}

fn render(source: &str, messages: &[Message], offer: Option<&Offer>) -> String {
    let template = ChatTemplate::new(source, "<s>", "</s>").unwrap();
    template
        .render(Request {
            messages,
            offer,
            thinking: None,
        })
        .unwrap()
}

#[test]
fn a_template_that_knows_tools_shows_them_calls_and_results() {
    let mut messages = vec![system("Be brief."), user("When is the meeting?")];
    messages.extend(tool_turn());
    let prompt = render(TAGGED, &messages, Some(&offer()));
    assert_eq!(
        ChatTemplate::new(TAGGED, "", "").unwrap().call_form(),
        CallForm::Tagged
    );
    assert!(
        prompt.starts_with("<|im_start|>system\nBe brief.\n\n<tools>\n{\"type\": \"function\", ")
    );
    assert!(prompt.contains("{\"name\": \"read_file\", \"arguments\": {\"path\": \"a<b>.md\"}}"));
    assert!(prompt.contains("<tool_response>\nThe meeting is at ten.\n</tool_response>"));
    assert!(prompt.ends_with("<|im_start|>assistant\n"));
}

#[test]
fn thinking_can_be_turned_off_where_the_template_knows_how() {
    let template = ChatTemplate::new(TAGGED, "", "").unwrap();
    let messages = [user("Hi")];
    let with = |thinking| Request {
        messages: &messages,
        offer: None,
        thinking,
    };
    let off = template.render(with(Some(false))).unwrap();
    assert!(off.ends_with("</think>\n\n"));
    assert!(!template.render(with(None)).unwrap().contains("think"));
}

#[test]
fn a_template_without_tools_gets_them_described_and_calls_written_out() {
    let mut messages = vec![system("Be brief."), user("When is the meeting?")];
    messages.extend(tool_turn());
    let prompt = render(DEFAULT_TEMPLATE, &messages, Some(&offer()));
    let expected = "<|im_start|>system\nBe brief.\n\nYou have these tools. Reply with one JSON \
                    object.\n- Reads a text file. {\"tool\": \"read_file\", \"arguments\": \
                    {\"path\": string, \"limit\": integer (optional)}}\n- To answer without a \
                    tool: {\"answer\": string}\n<|im_end|>";
    assert!(prompt.starts_with(expected), "{prompt}");
    assert!(prompt.contains(
        "<|im_start|>assistant\n{\"tool\": \"read_file\", \"arguments\": {\"path\": \"a<b>.md\"}}"
    ));
    assert!(prompt.contains("<|im_start|>user\nResult of read_file:\nThe meeting is at ten."));
}

#[test]
fn a_template_without_system_role_and_with_strict_turns_is_humoured() {
    let messages = [
        system("Be brief."),
        user("One."),
        user("Two."),
        assistant("Ok."),
        user("Three."),
    ];
    let prompt = render(STRICT, &messages, None);
    assert_eq!(
        prompt,
        "<s><start_of_turn>user\nBe brief.\n\nOne.\n\nTwo.<end_of_turn>\n<start_of_turn>model\nOk.\
         <end_of_turn>\n<start_of_turn>user\nThree.<end_of_turn>\n<start_of_turn>model\n"
    );
}

#[test]
fn headers_methods_and_a_fixed_date() {
    let messages = [
        system("Be brief."),
        user(" Hi "),
        assistant("<think>x</think> Hello."),
        user("?"),
    ];
    let prompt = render(HEADERS, &messages, None);
    assert!(
        prompt.starts_with("<s><|start_header_id|>system<|end_header_id|>\n\nToday: 26 Jul 2024\n")
    );
    assert!(
        prompt.contains("assistant<|end_header_id|>\n\nHello.<|eot_id|>"),
        "{prompt}"
    );
}

#[test]
fn brackets_and_slices() {
    let messages = [
        system("Be brief."),
        user("Hi"),
        assistant("Hello."),
        user("Bye"),
    ];
    let prompt = render(BRACKETS, &messages, None);
    assert_eq!(
        prompt,
        "<s>[INST] Hi[/INST] Hello.</s>[INST] Be brief.\n\nBye[/INST]"
    );
}

#[test]
fn a_template_that_never_ends_runs_out_of_steps() {
    let endless = "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}";
    let template = ChatTemplate::new(endless, "", "").unwrap();
    let messages = [user("Hi")];
    let refused = template.render(Request {
        messages: &messages,
        offer: None,
        thinking: None,
    });
    assert!(matches!(refused, Err(Error::Render(_))));
}

#[test]
fn templates_that_are_broken_or_too_large_are_refused() {
    assert!(matches!(
        ChatTemplate::new("{% if %}", "", ""),
        Err(Error::Syntax(_))
    ));
    let largest = "x".repeat(MAX_TEMPLATE_BYTES);
    assert!(ChatTemplate::new(&largest, "", "").is_ok());
    let larger = format!("{largest}x");
    assert!(matches!(
        ChatTemplate::new(&larger, "", ""),
        Err(Error::TooLarge { .. })
    ));
}
