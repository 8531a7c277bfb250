//! Which of the tools an agent may use are offered for a task.

use domain::tool::ToolDefinition;

/// Orders tools by how many words of the task their names and descriptions share with it.
pub(crate) fn offer(mut tools: Vec<ToolDefinition>, task: &str) -> Vec<ToolDefinition> {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.len() > 2)
            .map(str::to_lowercase)
            .collect()
    };
    let wanted = words(task);
    let overlap = |tool: &ToolDefinition| {
        let own = words(&format!("{} {}", tool.name, tool.description));
        wanted.iter().filter(|word| own.contains(word)).count()
    };
    tools.sort_by_cached_key(|tool| std::cmp::Reverse(overlap(tool)));
    tools
}
