//! A conversation of another program with `carl policy serve`, told in advance and judged in one
//! go: what the guard answers does not change what is asked.

use serde_json::{Value, json};
use testkit::House;

/// The table of the guarded program's tools.
pub const TABLE: &str = include_str!("../data/tools.yaml");
/// Their definitions.
pub const DEFINITIONS: &str = include_str!("../data/definitions.json");

/// A guarded program of a test's own: its tool table, and its tools as name and schema.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// The table.
    pub table: &'static str,
    /// For each tool its name and its arguments as JSON: the properties of its schema.
    pub tools: &'static [(&'static str, &'static str)],
}

impl Program {
    /// The user asks this program for something, with a plan or `null`.
    ///
    /// # Panics
    /// When the arguments of a tool are no JSON.
    #[must_use]
    pub fn asked(&self, prompt: &str, plan: &Value) -> Conversation {
        let tools = self.tools.iter().map(|(name, arguments)| {
            let properties: Value = serde_json::from_str(arguments).unwrap();
            json!({"name": name, "description": name, "parameters": {
                "type": "object", "properties": properties, "additionalProperties": false,
            }})
        });
        let tools: Vec<Value> = tools.collect();
        Conversation::begun(prompt, plan, &json!(tools), self.table)
    }
}

/// A conversation being written.
#[derive(Debug)]
pub struct Conversation {
    table: &'static str,
    lines: Vec<String>,
    last: u64,
    flags: Vec<String>,
}

/// What the guard said to each check, in order.
#[derive(Debug)]
pub struct Answers(pub Vec<Value>);

impl Conversation {
    /// The user asks for something.
    #[must_use]
    pub fn new(prompt: &str) -> Self {
        Self::planned(prompt, &Value::Null)
    }

    /// The user asks for something and has approved a plan.
    ///
    /// # Panics
    /// When the definitions are no JSON.
    #[must_use]
    pub fn planned(prompt: &str, plan: &Value) -> Self {
        let tools: Value = serde_json::from_str(DEFINITIONS).unwrap();
        Self::begun(prompt, plan, &tools, TABLE)
    }

    fn begun(prompt: &str, plan: &Value, tools: &Value, table: &'static str) -> Self {
        let begin = json!({"op": "begin", "prompt": prompt, "tools": tools, "plan": plan});
        Self {
            table,
            lines: vec![begin.to_string()],
            last: 0,
            flags: Vec::new(),
        }
    }

    /// Starts the guard with more flags.
    #[must_use]
    pub fn with(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(|f| (*f).to_owned()));
        self
    }

    /// Asks whether a call may run.
    #[must_use]
    pub fn check(self, tool: &str, args: Value) -> Self {
        let args = args.to_string();
        self.check_text(tool, &args)
    }

    /// Asks whether a call may run whose arguments are this text.
    #[must_use]
    pub fn check_text(mut self, tool: &str, args: &str) -> Self {
        self.last += 1;
        let id = self.last;
        let tool = Value::from(tool);
        let line = format!(r#"{{"op": "check", "id": {id}, "tool": {tool}, "args": {args}}}"#);
        self.lines.push(line);
        self
    }

    /// Says what the last call returned.
    #[must_use]
    pub fn returned(mut self, tool: &str, result: Value) -> Self {
        let id = self.last;
        let line = json!({"op": "observe", "id": id, "tool": tool, "result": result});
        self.lines.push(line.to_string());
        self
    }

    /// A call that runs and returns something.
    #[must_use]
    pub fn sees(self, tool: &str, args: Value, result: Value) -> Self {
        self.check(tool, args).returned(tool, result)
    }

    /// The user says more.
    #[must_use]
    pub fn says(mut self, text: &str) -> Self {
        self.lines
            .push(json!({"op": "say", "text": text}).to_string());
        self
    }

    /// A line as it stands.
    #[must_use]
    pub fn line(mut self, line: &str) -> Self {
        self.lines.push(line.to_owned());
        self
    }

    /// Plays it through the shipped `carl policy serve`.
    ///
    /// # Panics
    /// When the guard does not end well.
    #[must_use]
    pub fn played(&self) -> Answers {
        let house = House::new();
        let table = house.write("tools.yaml", self.table);
        let table = table.to_string_lossy().into_owned();
        let input = format!("{}\n", self.lines.join("\n"));
        let flags = self.flags.iter().map(String::as_str);
        let finished = house
            .ask(["policy", "serve", "--tools", &table])
            .args(flags)
            .stdin(input)
            .run()
            .expect(0);
        Answers(finished.json_lines())
    }

    /// Plays it and gives the last answer as `decision rule`.
    #[must_use]
    pub fn last(&self) -> String {
        let answers = self.played();
        answers.at(answers.0.len() - 1)
    }

    /// Checks what the guard says to the last call.
    ///
    /// # Panics
    /// When it says something else.
    pub fn expect(&self, wanted: &str) {
        let answers = self.played();
        let last = answers.at(answers.0.len() - 1);
        assert!(last.starts_with(wanted), "{wanted}: {:#?}", answers.0);
    }
}

impl Answers {
    /// The answer to a check, from 0, as `decision rule`; `error` for a line that was no request.
    #[must_use]
    pub fn at(&self, index: usize) -> String {
        let answer = &self.0[index];
        match (answer["decision"].as_str(), answer["rule"].as_str()) {
            (Some(decision), Some(rule)) => format!("{decision} {rule}"),
            _ => format!("error {}", answer["error"]),
        }
    }

    /// Every decision, in order.
    #[must_use]
    pub fn decisions(&self) -> Vec<&str> {
        let all = self.0.iter();
        all.map(|answer| answer["decision"].as_str().unwrap_or("error"))
            .collect()
    }
}
