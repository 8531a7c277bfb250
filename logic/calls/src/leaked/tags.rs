//! Tags around calls.

/// How tags open, and how they may close.
pub(super) const TAGS: [(&str, &[&str]); 13] = [
    ("<tool_call>", &["</tool_call>"]),
    ("<tool_calls>", &["</tool_calls>"]),
    ("<toolcall>", &["</toolcall>"]),
    (TOOL, &["</tool>"]),
    ("<function_call>", &["</function_call>"]),
    ("<function_calls>", &["</function_calls>"]),
    ("<minimax:tool_call>", &["</minimax:tool_call>"]),
    (
        "<|tool_call|>",
        &["<|/tool_call|>", "</|tool_call|>", "<|tool_call_end|>"],
    ),
    ("<|tool_calls|>", &["<|/tool_calls|>", "</|tool_calls|>"]),
    ("<|tool_call_start|>", &["<|tool_call_end|>"]),
    ("<|python_tag|>", &[]),
    ("<start_function_call>", &["<end_function_call>"]),
    ("[TOOL_CALLS]", &["[/TOOL_CALLS]"]),
];

/// The one of them that may as well be a tag of somebody's data.
pub(super) const TOOL: &str = "<tool>";
