//! The commented file that `carl init` writes.

/// Every section with its default, commented out. A test holds it against [`super::Config`].
pub const TEMPLATE: &str = r#"# Housecarl's configuration. Every key is optional; the values shown are the defaults.
# `carl config show --origin` says what is in force and where it came from.
# A project's own .housecarl.toml may narrow (disabled_tools, air_gap), and name programs that run after
# changes (check), once you trust it: `carl policy trust .housecarl.toml`.

[chat]
# The agent type a session begins with; `carl agents` lists them.
#default_agent = "coder"
# loop: the model uses tools; plan: it plans, you approve; deterministic: rules, no model;
# auto: as loop, and the drive goes on by itself afterwards; adaptive: a model with fewer than a
# billion parameters plans, every other one works in a loop, and the one that comes along is asked
# only for what the rules do not understand.
#default_mode = "adaptive"
# In adaptive mode, ask the rules before any model.
#rules_first = false
# Your own standing instructions, told to every agent.
#instructions = ""

[tui]
# Colours that can be read on a "light" or on a "dark" terminal; auto: the terminal is asked which it is.
#theme = "auto"
# Have the mouse scroll panes and pages, and choose a pane. Selecting there then takes Shift or Option.
#mouse = false
# Which keys edit what is typed in the terminal UI: "emacs", or "vi" with a normal mode.
#editing = "emacs"

[tui.keys]
# Keys of your own for the terminal UI, in place of those that `?` lists there, by what they do
# (docs/tui.md names all). Enter, Esc and Ctrl+C always keep their meaning.
#panes = "f5"
#palette = ["ctrl+q", "f1"]

[models]
# Refuse every connection but loopback.
#air_gap = false
# The provider for roles that no mapping names. Without it: the only one configured, of several the
# first by name that answers, and with none what is found on this machine (Ollama, then
# OpenAI-compatible servers, then the embedded engine).
#default_provider = "ollama"
# Who answers when the chosen provider is out of reach, overloaded or failing: provider/model, tried in
# order.
#fallbacks = []

# A provider you name yourself. Types: ollama, openai, anthropic, embedded, static (word tables,
# for embeddings only). Requests beyond max_parallel take turns, yours first.
#[models.providers.ollama]
#type = "ollama"
#endpoint = "http://127.0.0.1:11434"
#default_model = "qwen2.5:7b-instruct"
#max_parallel = 4

# Any OpenAI-compatible server. tool_calls = "json" is for models without tool training: tools are
# then described in the prompt, and the server decodes each reply as one JSON object. "auto" changes
# to that where a model's own calls cannot be run; "native" never does.
#[models.providers.local]
#type = "openai"
#endpoint = "http://127.0.0.1:8080/v1"
#tool_calls = "auto"
# Whether its models see pictures, where the server does not say.
#vision = true
# How large they are, where neither server nor name says it: tiny, small, medium or large.
#class = "small"
# How freely they choose their words, 0 to 2; without it 0.2 for small models that are offered tools.
#temperature = 0.2

# Keys are names of secrets, never the keys themselves: `carl secret set anthropic` asks for one.
# How much its models think before they answer: off, on, low, medium or high.
#[models.providers.claude]
#type = "anthropic"
#endpoint = "https://api.anthropic.com"
#default_model = "claude-sonnet-4-5"
#api_key = { secret = "anthropic" }
#think = "medium"

# Longest a whole call may take is timeout_secs of its provider (600). How long a server may send
# nothing, before its answer and within it, in milliseconds. Without these two a server on this
# machine or in its network may be quiet as long as the whole call may take; others as shown.
#[models.limits]
#first_byte_ms = 120000
#stall_ms = 60000

# Which model does what: provider/model.
#[models.roles]
#fast = "ollama/qwen2.5:7b-instruct"
#code = "ollama/qwen2.5-coder:14b"

[engine]
# The small stand-in model that ships with Housecarl.
#program = ""
#models = ""
#idle_exit_secs = 300

[bridge]
# An external planner for --mode bridge: a command, or a unix socket.
#command = []
#socket = ""

[policy]
# Tools no agent may use.
#disabled_tools = []
# How long a question waits for an answer, seconds; then it counts as a no.
#question_secs = 300

[search]
# Where the web is searched: "searxng" (your own server; its JSON format must be on), "brave" or
# "tavily" (each with a key). No page is read that no search found and you did not name.
#provider = "searxng"
#url = "http://127.0.0.1:8888"
# The name of the secret that holds the key: `carl secret set brave-search` asks for it.
#api_key = { secret = "brave-search" }
# Most pages that one search reads, 1 to 8.
#pages = 4

[secrets]
# Where secrets are kept: "secret-service" (the desktop's: GNOME Keyring, KWallet) or
# "kernel-keyring" (servers: an encrypted file, unlocked once after a restart). There is no default.
#backend = "secret-service"
# The token of the secrets role; empty: secrets.token in the runtime folder.
#token_file = ""

[memory]
# Whether what is known is shown to an agent before it works on a request.
#recall = true
# Longest a request waits for that, milliseconds, 1 to 60000. On a slow disk allow more.
#recall_ms = 1000
# Whether answered questions are kept.
#capture = true

[observers]
# When answers are graded, by the model with the role `judge`: "off", "on_demand" (by /grade), or
# "every" (each answer of a model, when nobody waits for one).
#critic = "on_demand"
# With "every": the share of answers that is graded, 0 to 1.
#critic_share = 1.0
# With "every", here and below: on battery as well.
#critic_on_battery = false
# With "every": a judge that took longer for an answer, seconds, 1 to 300, is asked by /grade and /b alone then.
#critic_secs = 60
# When a second answer is given and the judge compares both: "off", "on_demand" (by /b), or "every".
#respondent_b = "on_demand"
# With "every": the share of answers that gets one, 0 to 1.
#respondent_b_share = 1.0
# The model that gives it, as PROVIDER/MODEL; without it the one that gave the first answer.
#model_b = "ollama/qwen3:8b"
# Its sampling temperature, 0 to 2.
#temperature_b = 1.0
# Least share of answers in which a judge has to say what you say before its words count for routes, 0 to 1.
#route_agreement = 0.6

[observers.routes]
# Models of a role (fast, reason or code) among which requests are shared by how good their answers were found.
#code = ["ollama/qwen3:8b", "ollama/llama3.1:8b"]

[agents]
# How many agents of one session, started by others, work at the same time, 1 to 64.
#parallel = 4
# Most tokens of one session, prompts and answers of all its agents together; 0: as many as it takes.
#session_tokens = 0
# Most model calls with tools for one request, 1 or more; then the model answers without.
#tool_iterations = 25
# Most sessions that are open at the same time, in all chats and commands together; further ones are
# refused until one ends.
#open_sessions = 256

[tools]
# Longest a command, a script or a piece of code may run where the model does not say, seconds, 1 to
# 600. What takes longer is for a job in the background.
#command_secs = 120

[drive]
# How sessions in auto mode go on by themselves. Most turns in a row without you, 1 to 20.
#turns = 20
# What it may use in a day (UTC's): tokens, and money where providers have a price below; 0: no limit.
#day_tokens = 200000
#day_cost = 0.0
# Hours in which you are told nothing, such as "22:00-07:00"; empty: only while the screen is locked.
#quiet_hours = ""
# Files and folders whose changes wake it, absolute or within the session's folder.
#watch = []
# Whether it puts journal and memory in order when idle, once a day, if there is something new.
#dreams = true
# Whether it shows notifications on the desktop.
#notify = true

# What a million tokens of a provider cost.
#[drive.prices.claude]
#prompt = 3.0
#completion = 15.0

[inbox]
# Where messages for sessions in auto mode come in, such as "127.0.0.1:7434"; empty: nowhere. Whoever
# sends one shows the token in inbox.token in the state folder.
#listen = ""

[endpoints]
# Roles served by other processes, unix:/path or tcp:host:port; empty: in this process.
#audit = ""
#models = ""
#broker = ""
#secrets = ""
#memory = ""
#search = ""
"#;
