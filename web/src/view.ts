// What a session has come to, made of its events by one pure function. Nothing here knows the network
// or the document: the same events make the same view, however they came.

import type {
  Action,
  Answer,
  CallStatus,
  ConfirmationRequest,
  Fault,
  Profile,
  QueryStatus,
  SessionEvent,
  Verdict,
} from "./events";
import { type Quality, isOpinion, judged, unknown } from "./quality";
import { type Worker, joined, nobody, work } from "./workers";

export interface TextItem {
  kind: "text" | "thinking";
  key: string;
  text: string;
  /** Whether more of it may come. */
  open: boolean;
  /** Whether it is no Markdown: what rules show of files. */
  verbatim?: boolean;
  /** Whether it is the second answer, with which the conversation goes on. */
  taken?: boolean;
}

export interface CallItem {
  kind: "call";
  key: string;
  /** The number of the event that asked for it. */
  seq: number;
  tool: string;
  args: unknown;
  /** The type of the agent that calls, where it is not the session's own. */
  agent?: string;
  decision?: { verdict: Verdict; layer: string; rule: string; reason: string };
  /** What was answered to the question about it, and by whom. */
  answer?: { answer: Answer; by: string };
  progress?: string;
  status?: CallStatus;
  result?: string;
  truncated?: boolean;
  durationMs?: number;
}

export interface QuestionItem {
  kind: "question";
  key: string;
  request: ConfirmationRequest;
  answer?: Answer;
  by?: string;
  /** Why nobody can answer it any more, although nobody did. */
  lapsed?: boolean;
}

export interface PlanItem {
  kind: "plan";
  key: string;
  hash: string;
  intent: string;
  steps: { action: Action; status?: CallStatus; text?: string }[];
  approvedBy?: string;
}

export interface NoteItem {
  kind: "note";
  key: string;
  level: "notice" | "error";
  fault: Fault;
}

export interface AgentItem {
  kind: "agent";
  key: string;
  id: string;
  agentType: string;
  task: string;
  report?: { status: string; summary: string };
}

export interface RecallItem {
  kind: "recall";
  key: string;
  ids: string[];
  query: string;
  text: string;
  /** Whether all of it may be trusted. */
  trusted: boolean;
}

/** What a person gave with a message: a text, or a picture. */
export interface GivenItem {
  kind: "given";
  key: string;
  name: string;
  text?: string;
  width?: number;
  height?: number;
}

export type Item =
  | TextItem
  | CallItem
  | QuestionItem
  | PlanItem
  | NoteItem
  | AgentItem
  | RecallItem
  | GivenItem;

/** A request, and everything that came of it. */
export interface Turn {
  id: string;
  seq: number;
  endSeq?: number;
  time: string;
  text: string;
  byUser: boolean;
  /** Whether it is done by rules, whose answer is no Markdown. */
  byRules: boolean;
  state: "queued" | "running" | QueryStatus;
  items: Item[];
  error?: Fault;
  durationMs?: number;
  artifacts: string[];
  model?: string;
  reading?: { read: number; total: number };
  quality: Quality;
}

export interface View {
  seq: number;
  profile?: Profile;
  turns: Turn[];
  /** Agents below the session's own, by id, with their types. */
  agents: Record<string, string>;
  /** Who works, the session's own agent first. */
  workers: Worker[];
  /** Whether a request stayed where the conversation was taken back, for each time it was. */
  rewound: ((turn: Turn) => boolean)[];
  /** What was said of answers that are further back than was read. */
  opinions: SessionEvent[];
}

export const empty: View = { seq: 0, turns: [], agents: {}, workers: nobody, rewound: [], opinions: [] };

/** The view with what came before it. */
export function behind(earlier: View, view: View): View {
  const stayed = (turn: Turn) => view.rewound.every((stays) => stays(turn));
  const before = view.opinions.reduce(opined, earlier);
  return {
    ...view,
    turns: [...before.turns.filter(stayed), ...view.turns],
    agents: { ...earlier.agents, ...view.agents },
    workers: joined(earlier.workers, view.workers),
    rewound: [...earlier.rewound, ...view.rewound],
    opinions: before.opinions,
  };
}

/** The view after one more event. One that was seen already changes nothing. */
export function apply(view: View, event: SessionEvent): View {
  if (event.type === "prompt_read") {
    // In passing: it has the number of the event before it.
    const reading = { read: event.read_tokens, total: event.total_tokens };
    return inTurn(view, event, (turn) => ({ ...turn, reading }));
  }
  if (event.seq <= view.seq) return view;
  const workers = work(view.workers, event);
  return changed({ ...view, seq: event.seq, workers }, event);
}

function changed(view: View, event: SessionEvent): View {
  switch (event.type) {
    case "session_opened":
    case "session_configured":
      return { ...view, profile: event.profile };
    case "session_resumed":
      return everyTurn({ ...view, profile: event.profile }, lapse);
    case "query_received":
      return { ...view, turns: [...view.turns, begun(event)] };
    case "rewound": {
      const stays = (turn: Turn) => turn.seq <= event.to_seq || turn.id === event.query_id;
      const rewound = [...view.rewound, stays];
      return { ...view, turns: view.turns.filter(stays), rewound };
    }
    case "agent_spawned": {
      const agents = { ...view.agents, [event.child]: event.agent_type };
      return inTurn({ ...view, agents }, event, (turn) => happened(turn, event, agents));
    }
    case "confirmation_answered":
      return everyTurn(view, (turn) => happened(turn, event, view.agents));
    default:
      if (isOpinion(event)) return opined(view, event);
      return inTurn(view, event, (turn) => happened(turn, event, view.agents));
  }
}

/** What was said of an answer stands with it, or is kept until its request is read. */
function opined(view: View, event: SessionEvent): View {
  if (!view.turns.some((turn) => turn.id === event.query_id)) {
    return { ...view, opinions: [...view.opinions, event] };
  }
  return inTurn(view, event, (turn) => {
    const next = { ...turn, quality: judged(turn.quality, event) };
    if (event.type !== "second_taken") return next;
    // A copy from here on has the second answer as well.
    const { seq, answer: text } = event;
    return add({ ...next, endSeq: seq }, { kind: "text", key: String(seq), text, open: false, taken: true });
  });
}

/** The mode in which no model is asked. */
const BY_RULES = "deterministic";

function begun(event: SessionEvent & { type: "query_received" }): Turn {
  return {
    id: event.query_id ?? `seq-${event.seq}`,
    seq: event.seq,
    time: event.time,
    text: event.text,
    byUser: event.origin !== "drive",
    byRules: event.mode === BY_RULES,
    state: "running",
    items: [],
    artifacts: [],
    quality: unknown,
  };
}

/** Changes the turn that an event belongs to; where none is named, the last one. */
function inTurn(view: View, event: SessionEvent, change: (turn: Turn) => Turn): View {
  let at = view.turns.length - 1;
  if (event.query_id !== undefined) {
    while (at >= 0 && view.turns[at]?.id !== event.query_id) at -= 1;
  }
  const turn = view.turns[at];
  if (turn === undefined) return view;
  const next = change(turn);
  return next === turn ? view : { ...view, turns: view.turns.with(at, next) };
}

function everyTurn(view: View, change: (turn: Turn) => Turn): View {
  const turns = view.turns.map(change);
  const same = turns.every((turn, at) => turn === view.turns[at]);
  return same ? view : { ...view, turns };
}

/** Nobody waits for answers any more. */
function lapse(turn: Turn): Turn {
  if (!turn.items.some(isOpen)) return turn;
  const items = turn.items.map((item) => (isOpen(item) ? { ...item, lapsed: true } : item));
  return { ...turn, items };
}

function isOpen(item: Item): item is QuestionItem {
  return item.kind === "question" && item.answer === undefined && !item.lapsed;
}

function happened(turn: Turn, event: SessionEvent, agents: Record<string, string>): Turn {
  const key = String(event.seq);
  const child = event.agent_id === undefined ? undefined : agents[event.agent_id];
  switch (event.type) {
    case "query_queued":
      return { ...turn, state: "queued" };
    case "model_chosen":
      return child === undefined ? { ...running(turn), model: event.model } : turn;
    case "mode_chosen":
      return child === undefined ? { ...turn, byRules: event.mode === BY_RULES } : turn;
    case "text_delta":
    case "thinking_delta": {
      if (child !== undefined) return turn;
      const kind = event.type === "text_delta" ? "text" : "thinking";
      return streamed({ ...running(turn), reading: undefined }, kind, event.text, key);
    }
    case "text_replaced":
      return child === undefined ? replaced(turn, event.text, key) : turn;
    case "model_answered":
      return child === undefined ? answered(turn, event, key) : turn;
    case "tool_requested":
      return add(running(turn), {
        kind: "call",
        key: event.call_id ?? key,
        seq: event.seq,
        tool: event.tool,
        args: event.arguments,
        ...(child === undefined ? {} : { agent: child }),
      });
    case "broker_decision": {
      const { verdict, layer, rule, reason } = event;
      return inCall(turn, event, (call) => ({ ...call, decision: { verdict, layer, rule, reason } }));
    }
    case "tool_progress":
      return inCall(turn, event, (call) => ({ ...call, progress: event.message }));
    case "tool_result": {
      const { status, text, truncated, duration_ms } = event;
      return inCall(turn, event, ({ progress: _over, ...call }) => ({
        ...call,
        status,
        result: text,
        truncated,
        durationMs: duration_ms,
      }));
    }
    case "confirmation_asked": {
      const { seq: _s, time: _t, session_id: _i, ...request } = event;
      return add(running(turn), { kind: "question", key: event.confirmation_id, request });
    }
    case "confirmation_answered": {
      const is = (item: Item): item is QuestionItem =>
        item.kind === "question" && item.request.confirmation_id === event.confirmation_id;
      const by = event.token ?? event.by;
      const answer = { answer: event.answer, by };
      const told = inCall(turn, event, (call) => ({ ...call, answer }));
      return change(told, is, (item) => ({ ...item, ...answer }));
    }
    case "plan_proposed":
      return add(turn, {
        kind: "plan",
        key,
        hash: event.hash,
        intent: event.plan.intent,
        steps: event.plan.actions.map((action) => ({ action })),
      });
    case "plan_approved": {
      const is = (item: Item): item is PlanItem => item.kind === "plan" && item.hash === event.hash;
      return change(turn, is, (item) => ({ ...item, approvedBy: event.by }));
    }
    case "plan_step": {
      const is = (item: Item): item is PlanItem => item.kind === "plan";
      const { status, text, index } = event;
      return changeLast(turn, is, (item) => {
        const step = item.steps[index];
        const steps = step ? item.steps.with(index, { ...step, status, text }) : item.steps;
        return { ...item, steps };
      });
    }
    case "agent_spawned": {
      const { child: id, agent_type: agentType, task } = event;
      return add(turn, { kind: "agent", key, id, agentType, task });
    }
    case "agent_finished": {
      const is = (item: Item): item is AgentItem => item.kind === "agent" && item.id === event.child;
      const { status, summary } = event.report;
      return change(turn, is, (item) => ({ ...item, report: { status, summary } }));
    }
    case "memory_recalled":
      return event.memories.length === 0 || child !== undefined
        ? turn
        : add(turn, {
            kind: "recall",
            key,
            ids: event.memories,
            query: event.query,
            text: event.text,
            trusted: event.label == null || event.label.integrity === "trusted",
          });
    case "input_given":
      return add(turn, { kind: "given", key, name: event.name, text: event.text });
    case "picture_shown": {
      const { width, height } = event.picture;
      return child === undefined ? add(turn, { kind: "given", key, name: event.name, width, height }) : turn;
    }
    case "notice":
    case "error": {
      const { code, message, hint } = event;
      const fault = hint === undefined ? { code, message } : { code, message, hint };
      return add(turn, { kind: "note", key, level: event.type, fault });
    }
    case "generation_finished":
      return child === undefined ? concluded(turn, event.answer, key) : turn;
    case "query_finished":
      return {
        ...lapse(closed(turn)),
        state: event.status,
        endSeq: event.seq,
        durationMs: event.duration_ms,
        artifacts: event.artifacts ?? [],
        reading: undefined,
        ...(event.error === undefined ? {} : { error: event.error }),
      };
    default:
      return turn;
  }
}

function running(turn: Turn): Turn {
  return turn.state === "queued" ? { ...turn, state: "running" } : turn;
}

function add(turn: Turn, item: Item): Turn {
  return { ...turn, items: [...turn.items, item] };
}

function change<T extends Item>(turn: Turn, is: (item: Item) => item is T, to: (item: T) => T): Turn {
  if (!turn.items.some(is)) return turn;
  return { ...turn, items: turn.items.map((item) => (is(item) ? to(item) : item)) };
}

function changeLast<T extends Item>(
  turn: Turn,
  is: (item: Item) => item is T,
  to: (item: T) => T,
): Turn {
  const at = turn.items.findLastIndex(is);
  const item = turn.items[at];
  return item !== undefined && is(item) ? { ...turn, items: turn.items.with(at, to(item)) } : turn;
}

function inCall(turn: Turn, event: SessionEvent, to: (call: CallItem) => CallItem): Turn {
  const is = (item: Item): item is CallItem => item.kind === "call" && item.key === event.call_id;
  return changeLast(turn, is, to);
}

function isStreaming(item: Item): item is TextItem {
  return (item.kind === "text" || item.kind === "thinking") && item.open;
}

/** A piece more of what streams. */
function streamed(turn: Turn, kind: "text" | "thinking", text: string, key: string): Turn {
  const last = turn.items.at(-1);
  if (last !== undefined && isStreaming(last) && last.kind === kind) {
    return { ...turn, items: turn.items.with(-1, { ...last, text: last.text + text }) };
  }
  return add(turn, { kind, key, text, open: true });
}

/** The text of this model call is another one. */
function replaced(turn: Turn, text: string, key: string): Turn {
  const items = turn.items.filter((item) => !(isStreaming(item) && item.kind === "text"));
  const kept = { ...turn, items };
  return text === "" ? kept : add(kept, { kind: "text", key, text, open: true });
}

/** A model call is over: what it said is what stands there, whatever streamed. */
function answered(turn: Turn, event: SessionEvent & { type: "model_answered" }, key: string): Turn {
  if (event.aside) return { ...turn, items: turn.items.filter((item) => !isStreaming(item)) };
  const thinking = event.thinking?.text ?? "";
  const streamedText = turn.items.some((item) => isStreaming(item) && item.kind === "text");
  const streamedThinking = turn.items.some((item) => isStreaming(item) && item.kind === "thinking");
  let next = turn;
  if (!streamedThinking && thinking !== "") {
    next = add(next, { kind: "thinking", key: `${key}t`, text: thinking, open: true });
  }
  if (!streamedText && event.text.trim() !== "") {
    next = add(next, { kind: "text", key, text: event.text, open: true });
  }
  return closed(next);
}

function closed(turn: Turn): Turn {
  return change(turn, isStreaming, (item) => ({ ...item, open: false }));
}

/** The answer of a request stands there once: also where no model said it. */
function concluded(turn: Turn, answer: string, key: string): Turn {
  const wanted = answer.trim();
  const stands = turn.items.some((item) => item.kind === "text" && item.text.trim() === wanted);
  const next = closed(turn);
  if (wanted === "" || stands) return next;
  return add(next, { kind: "text", key, text: answer, open: false, verbatim: turn.byRules });
}

/** The questions that wait for an answer, the oldest first. */
export function questions(view: View): QuestionItem[] {
  // In a request that is over, none waits.
  const atWork = view.turns.filter((turn) => turn.endSeq === undefined);
  return atWork.flatMap((turn) => turn.items.filter(isOpen));
}

/** Whether something runs or waits. */
export function isBusy(view: View): boolean {
  return view.turns.some((turn) => turn.state === "running" || turn.state === "queued");
}

/** All calls, the newest first. */
export function calls(view: View): CallItem[] {
  const isCall = (item: Item): item is CallItem => item.kind === "call";
  return view.turns.flatMap((turn) => turn.items.filter(isCall)).reverse();
}

/** What was recalled for requests, the newest first. */
export function recalls(view: View): RecallItem[] {
  const isRecall = (item: Item): item is RecallItem => item.kind === "recall";
  return view.turns.flatMap((turn) => turn.items.filter(isRecall)).reverse();
}
