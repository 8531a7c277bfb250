//! What the services and the command line say of what cannot be done, in the words of whoever asks over
//! HTTP: fields in place of flags, paths in place of commands.

use domain::fault::Fault;

/// What is said, and what is said over HTTP instead.
const WORDS: [(&str, &str); 17] = [
    ("--agent:", "`agent`:"),
    ("--model:", "`model`:"),
    ("--allow-write:", "`allow_write`:"),
    ("--allow-read:", "`allow_read`:"),
    ("--disable-tool:", "`disabled_tools`:"),
    ("--namespace:", "`namespace`:"),
    ("`carl agents`", "`GET /api/v1/agents`"),
    ("`carl tools`", "`GET /api/v1/tools`"),
    (
        "`carl models` lists what is there; with --provider NAME, its own name for a model is enough.",
        "Write `provider/model`; `GET /api/v1/models` lists what is there.",
    ),
    ("`carl models`", "`GET /api/v1/models`"),
    ("`carl session list`", "`GET /api/v1/sessions`"),
    (
        "`carl session show`",
        "`GET /api/v1/sessions/{session}/events`",
    ),
    (
        "`carl session fork`",
        "`POST /api/v1/sessions/{session}/fork`",
    ),
    ("Open it (resume) first;", "A message opens it;"),
    (
        "Type it, or give it on standard input with `-`.",
        "Send it as `text`.",
    ),
    (
        "`carl memory list` and `carl memory search` show ids.",
        "`POST /api/v1/memory/search` tells ids.",
    ),
    (
        "`carl policy explain --help` has the flags.",
        "`GET /api/v1/openapi.json` has the fields.",
    ),
];

/// The same fault in the words of HTTP. What only a person at the machine can do stays a command.
pub(crate) fn worded(fault: Fault) -> Fault {
    let worded = |text: String| {
        let words = WORDS.iter();
        words.fold(text, |text, (said, instead)| text.replace(said, instead))
    };
    Fault {
        code: fault.code,
        message: worded(fault.message),
        hint: worded(fault.hint),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_fields_and_commands_are_paths() {
        let fault = worded(Fault {
            code: "carl.usage".to_owned(),
            message: "--agent: no agent type is named `codr`".to_owned(),
            hint: "Did you mean `coder`? `carl agents` lists them: coder.".to_owned(),
        });
        assert_eq!(fault.message, "`agent`: no agent type is named `codr`");
        let hint = "Did you mean `coder`? `GET /api/v1/agents` lists them: coder.";
        assert_eq!(fault.hint, hint);
    }

    #[test]
    fn what_a_person_does_at_the_machine_stays_a_command() {
        let hint = "`carl token new NAME --scope chat` makes one.".to_owned();
        let fault = Fault {
            code: String::new(),
            message: String::new(),
            hint,
        };
        assert_eq!(worded(fault.clone()), fault);
    }
}
