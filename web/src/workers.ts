// Who works in a session: the agent that the user speaks to and those below it, each with its task, its
// state, what it used of its budget, and its report. A pure function from events, as the view is.

import type { SessionEvent } from "./events";

/** When an agent worked; without an end: it still does. */
export interface Span {
  from: string;
  to?: string;
}

export interface Worker {
  /** Empty: the agent that the user speaks to. */
  id: string;
  /** The one that started it; none: the agent that the user speaks to. */
  parent?: string;
  type: string;
  task: string;
  query?: string;
  state: "idle" | "working" | "reported" | "lost";
  report?: Report;
  corrections: string[];
  /** Tokens that it used, without those of the agents below it. */
  tokens: number;
  /** Tokens that it may use, with those below it. */
  budget?: number;
  calls: number;
  /** The calls that run, with their tools. */
  open: { id: string; tool: string }[];
  spans: Span[];
}

export interface Report {
  status: string;
  quality: string;
  summary: string;
  failure?: string;
  artifacts: string[];
}

/** The agent that the user speaks to, before anything happened. */
export const nobody: Worker[] = [
  { id: "", type: "", task: "", state: "idle", corrections: [], tokens: 0, calls: 0, open: [], spans: [] },
];

/** Those who work after one more event. */
export function work(all: Worker[], event: SessionEvent): Worker[] {
  switch (event.type) {
    case "session_opened":
    case "session_configured":
    case "session_resumed":
      return change(all, "", (root) => ({ ...root, type: event.profile.agent_type }));
    case "query_received":
      return change(all, "", (root) => ({
        ...ended(root, event.time, "idle"),
        state: "working",
        spans: [...ended(root, event.time, "idle").spans, { from: event.time }],
      }));
    case "query_finished":
      return all.map((one) => finished(one, event));
    case "agent_spawned":
      return [...all, spawned(all, event)];
    case "agent_finished":
      return change(all, event.child, (one) => reported(one, event));
    case "model_answered": {
      const used = event.usage.prompt_tokens + event.usage.completion_tokens;
      return change(all, whose(all, event), (one) => ({ ...one, tokens: one.tokens + used }));
    }
    case "tool_requested": {
      const open = event.call_id === undefined ? [] : [{ id: event.call_id, tool: event.tool }];
      return change(all, whose(all, event), (one) => ({
        ...one,
        calls: one.calls + 1,
        open: [...one.open, ...open],
      }));
    }
    case "tool_result":
      return change(all, whose(all, event), (one) => ({
        ...one,
        open: one.open.filter((call) => call.id !== event.call_id),
      }));
    default:
      return all;
  }
}

/** Those of earlier requests with those of later ones. */
export function joined(earlier: Worker[], later: Worker[]): Worker[] {
  const [before, now] = [earlier, later].map((all) => all.find((one) => one.id === ""));
  if (before === undefined || now === undefined) return later;
  const root = {
    ...now,
    type: now.type || before.type,
    tokens: before.tokens + now.tokens,
    calls: before.calls + now.calls,
    spans: [...before.spans, ...now.spans],
  };
  const below = [...earlier, ...later].filter((one) => one.id !== "");
  return [root, ...below];
}

/** Of whom an event is: the agent that the user speaks to has an id as well, under which nobody started it. */
function whose(all: Worker[], event: SessionEvent): string {
  const id = event.agent_id ?? "";
  return all.some((one) => one.id === id) ? id : "";
}

function change(all: Worker[], id: string, to: (one: Worker) => Worker): Worker[] {
  return all.map((one) => (one.id === id ? to(one) : one));
}

function spawned(all: Worker[], event: SessionEvent & { type: "agent_spawned" }): Worker {
  const parent = whose(all, event);
  return {
    id: event.child,
    ...(parent === "" ? {} : { parent }),
    type: event.agent_type,
    task: event.task,
    ...(event.query_id === undefined ? {} : { query: event.query_id }),
    state: "working",
    corrections: [],
    tokens: 0,
    ...(event.budget_tokens == null ? {} : { budget: event.budget_tokens }),
    calls: 0,
    open: [],
    spans: [{ from: event.time }],
  };
}

/** Nothing of it runs any more. */
function ended(one: Worker, at: string, state: Worker["state"]): Worker {
  const last = one.spans.at(-1);
  const isOver = last === undefined || last.to !== undefined;
  const spans = isOver ? one.spans : one.spans.with(-1, { ...last, to: at });
  return { ...one, state, open: [], spans };
}

function finished(one: Worker, event: SessionEvent): Worker {
  if (one.id === "") return one.state === "working" ? ended(one, event.time, "idle") : one;
  const isLost = one.state === "working" && one.query === event.query_id;
  return isLost ? ended(one, event.time, "lost") : one;
}

function reported(one: Worker, event: SessionEvent & { type: "agent_finished" }): Worker {
  const { status, summary, result_quality: quality, failure_reason: failure, artifacts } = event.report;
  return {
    ...ended(one, event.time, "reported"),
    report: {
      status,
      summary,
      quality: quality ?? "",
      artifacts: artifacts ?? [],
      ...(failure == null ? {} : { failure }),
    },
    corrections: event.corrections ?? [],
  };
}

/** Those that an agent started; of none: that the agent started which the user speaks to. */
export function below(all: Worker[], parent?: string): Worker[] {
  return all.filter((one) => one.id !== "" && one.parent === parent);
}
