// What the server says, as far as the page reads it. The whole form is `contracts/domain/src/event.rs`
// and, for the rest, `/api/v1/openapi.json`. Fields of events that are not named here are left alone.

export interface Fault {
  code: string;
  message: string;
  hint?: string;
}

export type Verdict = "allow" | "confirm" | "deny";
export type CallStatus = "ok" | "failed" | "denied" | "cancelled";
export type QueryStatus = "success" | "partial" | "failed" | "denied" | "interrupted";

export interface ConfirmationRequest {
  confirmation_id: string;
  kind: "call" | "plan" | "write_root";
  agent_type: string;
  effect: string;
  reason: string;
  rendering: string;
  diff?: string;
  steps?: { step: number; diff: string }[];
  binding: string;
  expires: string;
}

export interface Answer {
  answer: "once" | "session" | "deny";
  message?: string;
}

export interface Profile {
  name: string;
  agent_type: string;
  mode: string;
  model?: { exact: string } | { role: string } | null;
}

export type Action = { kind: string } & Record<string, unknown>;

interface Place {
  seq: number;
  time: string;
  session_id: string;
  query_id?: string;
  agent_id?: string;
  call_id?: string;
}

export type Body =
  | { type: "session_opened" | "session_resumed" | "session_configured"; profile: Profile }
  | { type: "query_received"; text: string; mode: string; origin: string }
  | { type: "query_queued"; position: number }
  | { type: "model_chosen"; model: string; reason: string }
  | { type: "mode_chosen"; mode: string; reason: string }
  | { type: "prompt_read"; read_tokens: number; total_tokens: number }
  | { type: "text_delta" | "thinking_delta" | "text_replaced"; text: string }
  | {
      type: "model_answered";
      text: string;
      thinking?: { text: string } | null;
      usage: { prompt_tokens: number; completion_tokens: number };
      aside: boolean;
    }
  | { type: "tool_requested"; tool: string; arguments: unknown; recovered: boolean }
  | { type: "broker_decision"; verdict: Verdict; layer: string; rule: string; reason: string }
  | ({ type: "confirmation_asked" } & ConfirmationRequest)
  | { type: "confirmation_answered"; confirmation_id: string; answer: Answer; by: string; token?: string }
  | { type: "tool_progress"; message: string; percent: number | null }
  | {
      type: "tool_result";
      tool: string;
      status: CallStatus;
      text: string;
      truncated: boolean;
      duration_ms: number;
      artifacts?: string[];
    }
  | {
      type: "memory_recalled";
      memories: string[];
      query: string;
      text: string;
      label?: { integrity: string } | null;
    }
  | { type: "input_given"; name: string; text: string }
  | { type: "picture_shown"; name: string; picture: { width: number; height: number } }
  | { type: "generation_finished"; answer: string; thinking: string; model: string | null }
  | {
      type: "query_finished";
      status: QueryStatus;
      artifacts?: string[];
      duration_ms: number;
      error?: Fault;
    }
  | {
      type: "agent_spawned";
      child: string;
      agent_type: string;
      task: string;
      budget_tokens?: number | null;
    }
  | {
      type: "agent_finished";
      child: string;
      report: {
        status: string;
        summary: string;
        result_quality?: string;
        artifacts?: string[];
        failure_reason?: string | null;
      };
      corrections?: string[];
    }
  | { type: "plan_proposed"; plan: { intent: string; actions: Action[] }; hash: string }
  | { type: "plan_approved"; hash: string; by: string }
  | { type: "plan_step"; index: number; status: CallStatus; text: string }
  | { type: "rewound"; to_seq: number }
  | { type: "context_compacted"; before_tokens: number; after_tokens: number }
  | ({ type: "notice" | "error" } & Fault)
  | { type: "grade_asked" | "second_asked" }
  | { type: "critique"; score: number; feedback: string; judge: string; rubric: string }
  | ({ type: "not_graded" | "second_missed" } & Fault)
  | { type: "feedback"; score: number; note: string }
  | { type: "second_answered"; answer: string; model: string; temperature: number }
  | { type: "pairwise"; winner: Winner; feedback: string; judge: string }
  | { type: "second_rated"; winner: Winner }
  | { type: "second_taken"; answer: string };

/** Which of two answers is better: A stands in the conversation. */
export type Winner = "A" | "B" | "tie";

export type SessionEvent = Place & Body;

/** What a model is shown next, in the order in which it is sent. */
export interface Context {
  context_tokens: number;
  budget_tokens: number;
  parts: { name: string; tokens: number; text: string }[];
}

/** A session in a listing. */
export interface Listed {
  session_id: string;
  title: string;
  workspace: string;
  created: string;
  updated: string;
  last_seq: number;
  live: boolean;
  /** What it is a copy of, and the last event that both have. */
  forked_from: { session_id: string; at_seq: number } | null;
}

/** A session's requests in pages. */
export interface History {
  events: SessionEvent[];
  last_seq: number;
  before: number | null;
}

/** A type of agent. */
export interface AgentType {
  agent: string;
  description: string;
  model_role: string;
}

/** A provider and how it stands. */
export interface Provider {
  provider: string;
  endpoint: string;
  ready: boolean;
  fault: Fault | null;
  note: string;
}

/** A model that can be talked to. */
export interface Model {
  model: string;
  context_tokens: number | null;
  size_bytes: number | null;
  class: string | null;
  loaded: boolean | null;
  roles: string[];
}

export interface Models {
  providers: Provider[];
  models: Model[];
}

/** What memory has on a question. */
export interface Found {
  results: Recalled[];
  stages: Stage[];
}

export interface Recalled {
  id: string;
  kind: string;
  name: string;
  description: string;
  segment: string;
  relevance: number;
  source: string;
  label: { integrity: string };
  created_at: string;
}

/** An entry of memory, whole: what was kept on purpose, or a question with its answer. */
export interface Entry {
  id: string;
  name?: string;
  description?: string;
  tags?: string[];
  text?: string;
  question?: string;
  answer?: string;
  /** The model that gave the answer, or the agent type. */
  respondent?: string;
  critic_score?: number | null;
  pairwise_winner?: Winner | null;
  /** The user's rating, -100 to 100. */
  feedback?: number | null;
}

/** What is left of an entry that was forgotten: what others say as well. */
export interface Forgotten {
  entries: number;
  held_by: { entries: number } | null;
}

/** What one stage of a search saw. */
export interface Stage {
  name: string;
  seen: number;
  candidates: { id: string; score: number }[];
  note: string;
}

export interface Tool {
  name: string;
  description: string;
  parameters: { required?: string[] };
}

/** What one layer of the policy says to a call. */
export interface Finding {
  layer: string;
  verdict: Verdict;
  rule: string;
  user_reason: string;
}

/** What all of them say: the strictest decides. */
export interface Decision extends Finding {
  findings: Finding[];
}

/** Where the drive of a session stands, and what it waits for. */
export interface Drive {
  state: string;
  reason: string;
  timers: { due: string; note: string }[];
  jobs: string[];
  watched: string[];
}

/** What the audit log has of a session. */
export interface Audited {
  records: AuditRecord[];
  fault: Fault | null;
}

export interface AuditRecord {
  sequence: number;
  time: string;
  action: string;
  agent_type?: string;
  tool?: string;
  verdict?: Verdict;
  layer?: string;
  status?: CallStatus;
  detail?: string;
  model_call?: { model: string; prompt_tokens: number; completion_tokens: number };
}

/** A program of a session: a job, or what a call waits for. */
export interface Program {
  job: string | null;
  call_id: string | null;
  command: string;
  running: boolean;
  ended: string;
  age_ms: number;
  output: { stdout: Said; stderr: Said } | null;
}

export interface Said {
  text: string;
  cut: boolean;
  said_bytes: number;
}

/** A file that goes along with a message. */
export interface Given {
  name: string;
  text?: string;
  /** A picture in Base64. */
  data?: string;
  bytes: number;
}

/** A figure with the interval that holds it with 95 % confidence. */
export interface Interval {
  value: number;
  low: number;
  high: number;
}

/** The answers of one model, or to one kind of task. */
export interface Group {
  name: string;
  answers: number;
  /** How many have each of the grades 1 to 5. */
  grades: number[] | null;
  mean: Interval | null;
  good: number;
  neutral: number;
  bad: number;
}

export interface Wins {
  first: number;
  second: number;
  ties: number;
  second_share: Interval | null;
}

/** What grades, ratings and comparisons of all sessions come to. */
export interface Report {
  judges: {
    judge: string;
    time: string;
    pairs: number;
    consistent: Interval | null;
    accuracy: Interval | null;
    biased: boolean;
    longer: Interval | null;
    shorter: Interval | null;
    repeated: Interval | null;
  }[];
  agreement: { judge: string; answers: number; alike: Interval; kappa: number | null }[];
  unmeasured: string[];
  by_model: Group[];
  by_task: Group[];
  pairings: { first: string; second: string; judged: Wins; chosen: Wins }[];
  attacks: { judge: string; time: string; texts: number; raised: Interval | null; moved: Interval | null }[];
  own: { judge: string; judged: Interval | null; chosen: Interval | null }[];
}
