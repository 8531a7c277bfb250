//! Every maximum, with its unit. Each has a test at the limit, beside the code that keeps it. One that
//! the configuration may change is its default; other defaults stand in `config.rs` of their service
//! and in `bin/config`.

use std::time::Duration;

/// Longest request a user may send, bytes.
pub const USER_TEXT_BYTES: usize = 1 << 20;
/// Longest tool argument object, bytes of JSON.
pub const TOOL_ARGUMENT_BYTES: usize = 1 << 20;
/// Deepest nesting of JSON from outside.
pub const JSON_DEPTH: usize = 64;
/// Most steps that hold one value to a part of a JSON Schema of somebody else: keywords, and entries
/// of their lists, on every way that leads to them.
pub const SCHEMA_VALUE_STEPS: u64 = 100_000;
/// Most steps that hold the arguments of a call, or an answer, to such a schema.
pub const SCHEMA_STEPS: u64 = 1_000_000;
/// Most levels of parts and references on the way through such a schema.
pub const SCHEMA_LEVELS: usize = 512;
/// Most of a tool result that a model is shown, bytes.
pub const TOOL_RESULT_BYTES: usize = 16 << 10;
/// Largest file a tool reads whole, bytes.
pub const FILE_READ_BYTES: u64 = 10 << 20;
/// Largest file a tool writes, bytes.
pub const FILE_WRITE_BYTES: usize = 10 << 20;
/// Most files that one patch changes.
pub const PATCH_FILES: usize = 50;
/// Most places that one patch changes, in all files together.
pub const PATCH_PLACES: usize = 500;
/// Most content of all files that one patch changes, as they are afterwards, bytes.
pub const PATCH_BYTES: usize = 32 << 20;
/// Most entries a listing or search returns.
pub const LISTING_ENTRIES: usize = 1_000;
/// Most directory entries one file tool looks at.
pub const WALK_ENTRIES: usize = 200_000;
/// Most levels of folders a file tool goes down.
pub const WALK_DEPTH: usize = 32;
/// Largest ignore file that is taken into account, bytes.
pub const IGNORE_FILE_BYTES: u64 = 256 << 10;
/// Longest part of a line that a search shows, bytes.
pub const SEARCH_LINE_BYTES: usize = 500;
/// Most places of one long line that a search shows.
pub const SEARCH_LINE_PLACES: usize = 6;
/// Longest a single built-in file tool may run.
pub const FILE_TOOL_TIME: Duration = Duration::from_secs(30);
/// Longest a program in the sandbox may run unless the call or the configuration says otherwise.
pub const EXEC_TIME: Duration = Duration::from_secs(120);
/// Longest a call or the configuration may let a program in the sandbox run; a job may run longer.
pub const EXEC_TIME_MOST: Duration = Duration::from_secs(600);
/// Longest a package installation may run.
pub const INSTALL_TIME: Duration = Duration::from_secs(600);
/// Longest reading a document in the sandbox may take.
pub const READER_TIME: Duration = Duration::from_secs(30);
/// Most processor time of each process in the sandbox.
pub const EXEC_CPU: Duration = Duration::from_secs(120);
/// Most memory of a program in the sandbox, bytes.
pub const EXEC_MEMORY_BYTES: u64 = 2 << 30;
/// Most processes and threads of a program in the sandbox.
pub const EXEC_PROCESSES: u32 = 256;
/// Largest file a program in the sandbox writes, bytes.
pub const EXEC_FILE_BYTES: u64 = 1 << 30;
/// Most open files of each process in the sandbox.
pub const EXEC_OPEN_FILES: u32 = 1_024;
/// Most of each output stream of a program in the sandbox that is kept, bytes.
pub const EXEC_OUTPUT_BYTES: usize = 256 << 10;
/// Longest a job in the background may run, and most processor time of each of its processes.
pub const JOB_TIME: Duration = Duration::from_secs(3_600);
/// Most jobs of one session that run at the same time.
pub const JOBS_AT_WORK: usize = 8;
/// Ended jobs of one session whose output is kept; of more the oldest is forgotten.
pub const JOBS_KEPT: usize = 16;
/// Most of each output stream of a job that is kept, bytes.
pub const JOB_OUTPUT_BYTES: usize = 256 << 10;
/// Most of each output stream of a program that its user is shown at once, bytes.
pub const PROGRAM_OUTPUT_BYTES: usize = 512 << 10;
/// Most of each output stream of a program that is shown beside others, bytes.
pub const PROGRAM_TAIL_BYTES: usize = 4 << 10;
/// Longest one call waits for a job to end.
pub const JOB_WAIT: Duration = Duration::from_secs(60);
/// Most directory entries looked through for protected places before a program may write.
pub const GUARD_ENTRIES: usize = 1_000_000;
/// Most directory entries looked through before a change of a file, for links that make a protected
/// place of it; where there are more, nothing is changed.
pub const LINK_ENTRIES: usize = 1_000_000;
/// Most directory entries looked through for keys and passwords in folders that a program may only
/// read; folders beyond are hidden whole.
pub const HIDE_ENTRIES: usize = 400_000;
/// Longest such a look takes; what is left then is hidden whole.
pub const HIDE_TIME: Duration = Duration::from_secs(2);
/// Most places that are hidden from a program one by one; of more, the folders above them are.
pub const HIDDEN_PLACES: usize = 1_000;
/// Most text taken from a document that is read in the sandbox, bytes.
pub const DOCUMENT_TEXT_BYTES: usize = 4 << 20;
/// Most bytes that the part of an office document with the text may unpack to.
pub const DOCUMENT_XML_BYTES: u64 = 64 << 20;
/// Largest source file whose symbols are read, bytes.
pub const SOURCE_BYTES: u64 = 1 << 20;
/// Most source files whose symbols one call reads.
pub const SOURCE_FILES: usize = 2_000;
/// Most bytes of all source files that one call reads.
pub const SOURCES_BYTES: u64 = 16 << 20;
/// Longest the parser of one source file may take.
pub const SOURCE_TIME: Duration = Duration::from_secs(5);
/// Most processes that one call starts to read source files: one more for each file that breaks its
/// parser, or fills the output of a process.
pub const SOURCE_READERS: usize = 8;
/// Most symbols that are taken of one source file.
pub const SOURCE_SYMBOLS: usize = 5_000;
/// Longest line that a symbol is shown by, characters.
pub const SIGNATURE_CHARS: usize = 160;
/// The smallest outline that can be asked for, tokens.
pub const OUTLINE_TOKENS_LEAST: usize = 128;
/// The outline of a folder unless the call says otherwise, tokens.
pub const OUTLINE_TOKENS: usize = 1_024;
/// The largest outline, which fits what a model is shown of a result, tokens; also that of a single
/// file unless the call says otherwise.
pub const OUTLINE_TOKENS_MOST: usize = 3_500;
/// Largest picture handed to a model, bytes: in Base64 it stays below 5 MiB, the least that a
/// provider takes.
pub const PICTURE_BYTES: u64 = 3_840_000;
/// Longest side of such a picture, pixels.
pub const PICTURE_SIDE: u32 = 8_000;
/// Most pictures that a request is sent with, and most that stay in a model's view.
pub const PICTURES: usize = 8;
/// Most model calls in one turn of a chat.
pub const TOOL_ITERATIONS: u32 = 25;
/// Most times a reply that was empty, or nothing but a call that cannot be one, is asked again in one
/// turn.
pub const EMPTY_REPLY_NUDGES: u32 = 1;
/// Most times in one turn a context that does not fit is made smaller.
pub const OVERFLOW_COMPACTIONS: u32 = 2;
/// Replies that repeat what was refused, or ask again for tools that nobody has, after which a turn goes on
/// without tools.
pub const CIRCLING_REPLIES: u32 = 2;
/// Most tool calls of one model reply that are run. The model is told of each beyond them.
pub const TOOL_CALLS_PER_REPLY: usize = 32;
/// Most tool calls of one model reply that are taken in at all; the rest is dropped, and that is said.
pub const TOOL_CALLS_HEARD: usize = 4 * TOOL_CALLS_PER_REPLY;
/// Most tool calls a task may make.
pub const CALLS_PER_TASK: u32 = 100;
/// How often others may be asked something, without a question, once an agent has read what they may
/// not know, until the user speaks again. Which of the user's own words are asked, and in which
/// order, can carry a byte each.
pub const PRIVATE_INQUIRIES: usize = 8;
/// How often the same call may come within [`REPEAT_WINDOW`].
pub const REPEATED_CALLS: usize = 3;
/// How many calls back a repetition counts.
pub const REPEAT_WINDOW: usize = 20;
/// Deepest chain of agents.
pub const SPAWN_DEPTH: usize = 4;
/// Sessions that are open at the same time, unless configuration says otherwise.
pub const LIVE_SESSIONS: usize = 256;
/// Checks of a project that run after changes.
pub const CHECKS: usize = 5;
/// Messages waiting while a turn runs.
pub const QUEUED_MESSAGES: usize = 16;
/// Events a slow subscriber may lag behind before it must catch up from the log.
pub const EVENT_BACKLOG: usize = 1_024;
/// How long a confirmation waits before silence means no.
pub const CONFIRMATION_WAIT: Duration = Duration::from_secs(300);
/// The shortest and the longest that the configuration may say instead.
pub const CONFIRMATION_WAIT_LEAST: Duration = Duration::from_secs(1);
/// See [`CONFIRMATION_WAIT_LEAST`].
pub const CONFIRMATION_WAIT_MOST: Duration = Duration::from_secs(24 * 60 * 60);
/// Most agents registered at one time in one broker.
pub const REGISTERED_AGENTS: usize = 10_000;
/// How long an authorisation may wait before it must be decided again.
pub const AUTHORISATION_LIFE: Duration = Duration::from_secs(60);
/// Longest a model may take to send the first byte of an answer.
pub const MODEL_FIRST_BYTE: Duration = Duration::from_secs(120);
/// Longest a model may pause in the middle of an answer.
pub const MODEL_STALL: Duration = Duration::from_secs(60);
/// Longest one model call may take in all.
pub const MODEL_CALL: Duration = Duration::from_secs(600);
/// Most requests that wait for one provider.
pub const MODEL_WAITING: usize = 4_096;
/// Longest a request waits for its provider before it starts, unless the caller gives it less.
pub const MODEL_QUEUE: Duration = Duration::from_secs(1_800);
/// Most later requests of its own priority that start before a request to save loading a model.
pub const MODEL_PASSES: u32 = 64;
/// Most requests in a row that pass the oldest one to save loading a model.
pub const MODEL_BATCH: u32 = 16;
/// Longest the oldest request is passed to save loading a model.
pub const MODEL_BATCH_TIME: Duration = Duration::from_secs(60);
/// Requests of other priorities that start while one of a lower priority waits, before one of that
/// priority has its turn.
pub const MODEL_TURNS: u32 = 8;
/// Largest single event or line of a model's stream, bytes.
pub const MODEL_EVENT_BYTES: usize = 1 << 20;
/// Largest whole answer of a model, bytes.
pub const MODEL_ANSWER_BYTES: usize = 8 << 20;
/// Tries of a model request before its first byte, in all.
pub const MODEL_TRIES: u32 = 3;
/// Rounds of repair for an answer that does not fit its schema.
pub const SCHEMA_REPAIRS: u32 = 2;
/// Default context asked of a model server, tokens.
pub const CONTEXT_TOKENS: u32 = 32_768;
/// Longest question to memory, characters; what is longer is asked by its beginning.
pub const MEMORY_QUESTION_CHARS: usize = 2_000;
/// Most memories that are recalled for a request before it is worked on.
pub const RECALLED_MEMORIES: u32 = 3;
/// Longest a request waits for what is recalled for it.
pub const RECALL_WAIT: Duration = Duration::from_secs(1);
/// Most that the configuration may make of it.
pub const RECALL_WAIT_MOST: Duration = Duration::from_secs(60);
/// Longest AGENTS.md or other prompt layer taken in, bytes.
pub const PROMPT_LAYER_BYTES: usize = 32 << 10;
/// Longest system prompt, characters.
pub const SYSTEM_PROMPT_CHARS: usize = 2_000;
/// Longest line of a session log that is read back, bytes.
pub const LOG_LINE_BYTES: usize = 32 << 20;
/// Most plan steps.
pub const PLAN_ACTIONS: usize = 12;
/// Longest an external planner may take.
pub const BRIDGE_TIME: Duration = Duration::from_secs(60);
/// Largest answer of an external planner, bytes.
pub const BRIDGE_ANSWER_BYTES: usize = 1 << 20;
/// Largest undo history of a session, bytes of kept copies.
pub const UNDO_BYTES: u64 = 256 << 20;
/// Most files of a folder that are noted before a program changes it.
pub const CHECKPOINT_FILES: usize = 20_000;
/// Most bytes of their content, of all together.
pub const CHECKPOINT_BYTES: u64 = 128 << 20;
/// Most files that a program may change for its changes to be kept for undo.
pub const CHECKPOINT_CHANGES: usize = 500;
/// Longest that noting them may take, once before the program and once after it.
pub const CHECKPOINT_TIME: Duration = Duration::from_secs(5);
/// Largest single message between services, bytes.
pub const WIRE_MESSAGE_BYTES: usize = 64 << 20;
/// Most calls open at one time on one connection between services.
pub const WIRE_STREAMS: u32 = 4_096;
/// Most connections one endpoint holds; further ones wait.
pub const WIRE_CONNECTIONS: usize = 256;
/// Longest a new connection may take to show that it speaks the protocol.
pub const WIRE_HANDSHAKE: Duration = Duration::from_secs(10);
/// Longest a client tries to connect.
pub const WIRE_CONNECT: Duration = Duration::from_secs(5);
/// How often an open connection is checked for life.
pub const WIRE_PING: Duration = Duration::from_secs(30);
/// How long the other side may take to show that it lives.
pub const WIRE_PING_ANSWER: Duration = Duration::from_secs(20);
/// How long running calls may go on after an endpoint is told to stop.
pub const WIRE_DRAIN: Duration = Duration::from_secs(3);
/// Longest part of an error's text that crosses between services, bytes.
pub const WIRE_ERROR_BYTES: usize = 2_048;
/// Most text of shown values that one session traces arguments by, bytes.
pub const FLOW_BYTES: usize = 32 << 20;
/// Most parts of shown values that one session traces arguments by.
pub const FLOW_LEAVES: usize = 1 << 20;
/// Largest record of the audit log, bytes.
pub const AUDIT_RECORD_BYTES: usize = 256 << 10;
/// Most names that a record of the audit log keeps of each list in a label.
pub const AUDIT_NAMES: usize = 64;
/// Longest name or phrase that a record of the audit log keeps, characters.
pub const AUDIT_NAME_CHARS: usize = 200;
/// Most records of the audit log that are written and made durable together.
pub const AUDIT_BATCH: usize = 4_096;
/// How long after a failed write of the audit log it is opened again at the earliest, and between
/// two tries.
pub const AUDIT_REOPEN: Duration = Duration::from_secs(2);
/// Most pages one search reads.
pub const SEARCH_PAGES: usize = 8;
/// Longest a search server may take to answer.
pub const SEARCH_SERVER_TIME: Duration = Duration::from_secs(15);
/// Largest answer of a search server, bytes.
pub const SEARCH_SERVER_BYTES: usize = 2 << 20;
/// Longest address of a page, bytes.
pub const PAGE_URL_BYTES: usize = 2_048;
/// Most redirects from one page that are followed.
pub const PAGE_REDIRECTS: usize = 5;
/// Longest a page may take in all, its turn and its redirects included.
pub const PAGE_TIME: Duration = Duration::from_secs(20);
/// Longest a site may take to accept a connection.
pub const PAGE_CONNECT: Duration = Duration::from_secs(5);
/// Most of a page that is taken from the network, bytes as they come.
pub const PAGE_BYTES: usize = 4 << 20;
/// Most that a page may unpack to, bytes.
pub const PAGE_UNPACKED_BYTES: usize = 8 << 20;
/// Most header lines of an answer.
pub const PAGE_HEADERS: usize = 100;
/// Deepest nesting of HTML that a tree is built of; a deeper page is read as a line of words.
pub const PAGE_DEPTH: usize = 200;
/// Most elements of HTML that a tree is built of.
pub const PAGE_ELEMENTS: usize = 30_000;
/// Longest the main text of one page may be looked for.
pub const PAGE_PARSE: Duration = Duration::from_secs(10);
/// Most of a page's main text that is kept, bytes.
pub const PAGE_TEXT_BYTES: usize = 256 << 10;
/// Most of a page's main text that an agent is shown, bytes.
pub const EXTRACTED_BYTES: usize = 12 << 10;
/// Most of a page that the summarising model is shown, bytes.
pub const QUARANTINE_BYTES: usize = 12 << 10;
/// Longest a summary may take.
pub const QUARANTINE_TIME: Duration = Duration::from_secs(90);
/// Most claims taken from one page.
pub const PAGE_CLAIMS: usize = 3;
/// Most of a site's robots rules that are read, bytes (RFC 9309, section 2.5, asks for as much).
pub const ROBOTS_BYTES: usize = 512 << 10;
/// Longest a site's robots rules are remembered (RFC 9309, section 2.4).
pub const ROBOTS_LIFE: Duration = Duration::from_secs(24 * 3_600);
/// Longest pause between two pages of a site, whatever its robots rules ask.
pub const HOST_PAUSE: Duration = Duration::from_secs(10);
/// Sites whose robots rules and last visit are remembered.
pub const REMEMBERED_HOSTS: usize = 512;
/// Longest name of a memory, bytes.
pub const MEMORY_NAME_BYTES: usize = 512;
/// Longest description of a memory, and longest intent of an engram, bytes.
pub const MEMORY_DESCRIPTION_BYTES: usize = 4 << 10;
/// Longest text of a memory, and longest question and answer of an engram, bytes.
pub const MEMORY_TEXT_BYTES: usize = 256 << 10;
/// Most tags, entities or tools of an entry of memory.
pub const MEMORY_TAGS: usize = 64;
/// Longest tag, entity or name of a respondent, bytes.
pub const MEMORY_TAG_BYTES: usize = 256;
/// Most entries that an entry of memory says it belongs with, and most asked about at one time.
pub const MEMORY_CORRELATIONS: usize = 256;
/// Longest question to memory, bytes; one that is longer is refused.
pub const MEMORY_QUERY_BYTES: usize = 16 << 10;
/// Most tasks one request is taken apart into.
pub const TASKS_PER_REQUEST: usize = 12;
/// Longest goal of a task, characters.
pub const TASK_GOAL_CHARS: usize = 2_000;
/// Most inputs a task names.
pub const TASK_INPUTS: usize = 16;
/// Most files a task is expected to leave behind.
pub const TASK_ARTIFACTS: usize = 16;
/// Most agents one call starts.
pub const AGENTS_PER_CALL: usize = 32;
/// Most agents started for one request, at all depths together.
pub const AGENTS_PER_REQUEST: usize = 1_024;
/// Agents of one session that work at the same time, unless configuration says otherwise.
pub const AGENTS_AT_WORK: usize = 4;
/// Most agents of one session that work at the same time, whatever configuration says.
pub const AGENTS_AT_WORK_MOST: usize = 64;
/// Most tokens one sub-agent may use, prompts and answers together.
pub const AGENT_TOKENS: u64 = 400_000;
/// Most tool calls one sub-agent may make.
pub const AGENT_CALLS: u32 = 50;
/// Longest one sub-agent may work.
pub const AGENT_TIME: Duration = Duration::from_secs(1_800);
/// Longest summary in a report, characters.
pub const REPORT_SUMMARY_CHARS: usize = 600;
/// Reports an orchestrating agent is shown at one time; older ones are in the task state.
pub const SHOWN_REPORTS: usize = 8;
/// Most tokens of an orchestrating agent's rolling summary.
pub const ROLLING_SUMMARY_TOKENS: u64 = 200;
/// Longest entry of a journal, characters.
pub const JOURNAL_ENTRY_CHARS: usize = 8_000;
/// Most entries of a journal that are kept in view; older ones are on disk.
pub const JOURNAL_ENTRIES: usize = 200;
/// Longest a summary of the oldest turns may take a model.
pub const SUMMARY_TIME: Duration = Duration::from_secs(120);
/// Most tokens of a model's summary of the oldest turns.
pub const SUMMARY_TOKENS: u32 = 1_500;
/// Longest name of a session, characters.
pub const SESSION_NAME_CHARACTERS: usize = 120;
/// Most messages a session has pinned.
pub const PINNED_MESSAGES: usize = 50;
/// Most turns of the drive without the user.
pub const DRIVE_TURNS: u32 = 20;
/// Tokens the drive may use in a day unless configuration says otherwise.
pub const DRIVE_DAY_TOKENS: u64 = 200_000;
/// Signals that may wait for the drive; the oldest falls out.
pub const DRIVE_SIGNALS: usize = 256;
/// Timers an agent may have set.
pub const DRIVE_TIMERS: usize = 64;
/// Paths an agent may have watched.
pub const WATCHED_PATHS: usize = 32;
/// Longest a timer may run.
pub const DRIVE_TIMER: Duration = Duration::from_secs(30 * 24 * 3_600);
/// Longest text of one signal, bytes.
pub const SIGNAL_BYTES: usize = 16 << 10;
