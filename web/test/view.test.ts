import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../src/events";
import { type CallItem, type View, apply, behind, empty, isBusy, questions } from "../src/view";

const place = (seq: number, query_id = "q1") => ({
  seq,
  query_id,
  time: "2031-01-01T00:00:00Z",
  session_id: "s",
});

const asked = (seq: number, query = "q1"): SessionEvent => ({
  ...place(seq, query),
  type: "query_received",
  text: "hello",
  mode: "loop",
  origin: "user",
});

const delta = (seq: number, text: string, query = "q1"): SessionEvent => ({
  ...place(seq, query),
  type: "text_delta",
  text,
});

const said = (seq: number, text: string): SessionEvent => ({
  ...place(seq),
  type: "model_answered",
  text,
  usage: { prompt_tokens: 1, completion_tokens: 1 },
  aside: false,
});

const finished = (seq: number, query = "q1"): SessionEvent => ({
  ...place(seq, query),
  type: "query_finished",
  status: "success",
  duration_ms: 5,
});

const question = (seq: number): SessionEvent => ({
  ...place(seq),
  type: "confirmation_asked",
  confirmation_id: "c1",
  kind: "call",
  agent_type: "coder",
  effect: "write",
  reason: "because",
  rendering: "edit_file",
  binding: "b",
  expires: "2031-01-01T00:05:00Z",
});

const view = (...events: SessionEvent[]): View => events.reduce(apply, empty);
const texts = (view: View) =>
  view.turns.map((turn) => turn.items.map((item) => ("text" in item ? item.text : item.kind)));

describe("a view", () => {
  it("takes what rules answer as it is, and what models answer as Markdown", () => {
    const concluded = (seq: number): SessionEvent => ({
      ...place(seq),
      type: "generation_finished",
      answer: "__init__.py",
      thinking: "",
      model: null,
    });
    const chosen = (mode: string): SessionEvent => ({ ...place(2), type: "mode_chosen", mode, reason: "" });
    for (const [mode, verbatim] of [
      ["deterministic", true],
      ["plan", false],
    ] as const) {
      expect(view(asked(1), chosen(mode), concluded(3)).turns[0]?.items).toMatchObject([{ verbatim }]);
    }
  });

  it("joins the pieces of an answer, and says it once", () => {
    const events = [asked(1), delta(2, "Four "), delta(3, "cups."), said(4, "Four cups.")];
    const end: SessionEvent = {
      ...place(5),
      type: "generation_finished",
      answer: "Four cups.",
      thinking: "",
      model: null,
    };
    expect(texts(view(...events, end, finished(6)))).toEqual([["Four cups."]]);
  });

  it("is the same however often an event comes", () => {
    const events = [asked(1), delta(2, "a"), delta(3, "b"), finished(4)];
    const once = view(...events);
    expect(view(...events, ...events)).toEqual(once);
    expect(apply(once, delta(3, "b"))).toBe(once);
  });

  it("takes back what was no answer", () => {
    const replaced: SessionEvent = { ...place(3), type: "text_replaced", text: "Well." };
    const kept = view(asked(1), delta(2, "{call"), replaced, said(4, "Well."));
    expect(texts(kept)).toEqual([["Well."]]);
    const aside = { ...said(3, "a plan"), aside: true } as SessionEvent;
    expect(texts(view(asked(1), delta(2, "a plan"), aside))).toEqual([[]]);
  });

  it("shows an answer that no model streamed", () => {
    expect(texts(view(asked(1), said(2, "whole")))).toEqual([["whole"]]);
  });

  it("leaves out what agents below say, and shows what they call", () => {
    const spawned: SessionEvent = {
      ...place(2),
      type: "agent_spawned",
      child: "a2",
      agent_type: "reader",
      task: "read",
    };
    const inner = { ...delta(3, "inner"), agent_id: "a2" };
    const call: SessionEvent = {
      ...place(4),
      agent_id: "a2",
      call_id: "x",
      type: "tool_requested",
      tool: "read_file",
      arguments: {},
      recovered: false,
    };
    const [turn] = view(asked(1), spawned, inner, call).turns;
    expect(turn?.items.map((item) => item.kind)).toEqual(["agent", "call"]);
    expect((turn?.items[1] as CallItem).agent).toBe("reader");
  });

  it("keeps decision, layer and result with their call", () => {
    const call = (seq: number, id: string): SessionEvent => ({
      ...place(seq),
      call_id: id,
      type: "tool_requested",
      tool: "edit_file",
      arguments: {},
      recovered: false,
    });
    const decided: SessionEvent = {
      ...place(4),
      call_id: "x",
      type: "broker_decision",
      verdict: "deny",
      layer: "path",
      rule: "r",
      reason: "closed",
    };
    const result: SessionEvent = {
      ...place(5),
      call_id: "x",
      type: "tool_result",
      tool: "edit_file",
      status: "denied",
      text: "no",
      truncated: false,
      duration_ms: 1,
    };
    const [turn] = view(asked(1), call(2, "x"), call(3, "y"), decided, result).turns;
    const [x, y] = turn?.items as CallItem[];
    expect([x?.decision?.layer, x?.status, y?.status]).toEqual(["path", "denied", undefined]);
  });

  it("asks until somebody answers, the request ends or the process does", () => {
    const open = view(asked(1), question(2));
    expect(questions(open).map((one) => one.request.binding)).toEqual(["b"]);
    const answer: SessionEvent = {
      ...place(3),
      type: "confirmation_answered",
      confirmation_id: "c1",
      answer: { answer: "once" },
      by: "user",
      token: "web",
    };
    expect(questions(apply(open, answer))).toEqual([]);
    expect(questions(apply(open, finished(3)))).toEqual([]);
    const profile = { name: "", agent_type: "coder", mode: "loop" };
    const { query_id: _none, ...nowhere } = place(3);
    const resumed: SessionEvent = { ...nowhere, type: "session_resumed", profile };
    expect(questions(apply(open, resumed))).toEqual([]);
  });

  it("knows what waits, what runs and what is over", () => {
    const queued: SessionEvent = { ...place(3, "q2"), type: "query_queued", position: 1 };
    const both = view(asked(1), asked(2, "q2"), queued);
    expect(both.turns.map((turn) => turn.state)).toEqual(["running", "queued"]);
    const next = [finished(4), delta(5, "x", "q2")].reduce(apply, both);
    expect(next.turns.map((turn) => turn.state)).toEqual(["success", "running"]);
    expect(isBusy(next)).toBe(true);
    expect(isBusy(apply(next, finished(6, "q2")))).toBe(false);
  });

  it("goes back to where the conversation goes on", () => {
    const events = [asked(1), finished(2), asked(3, "q2"), finished(4, "q2")];
    const { query_id: _none, ...nowhere } = place(5);
    const back: SessionEvent = { ...nowhere, type: "rewound", to_seq: 2 };
    expect(view(...events, back).turns.map((turn) => turn.id)).toEqual(["q1"]);
  });

  it("tells how far a prompt is read, with the number of the event before", () => {
    const read: SessionEvent = {
      ...place(1),
      type: "prompt_read",
      read_tokens: 5,
      total_tokens: 10,
    };
    const reading = view(asked(1), read);
    expect(reading.turns[0]?.reading).toEqual({ read: 5, total: 10 });
    expect(apply(reading, delta(2, "x")).turns[0]?.reading).toBeUndefined();
  });
});

describe("a view of pages", () => {
  const spawned = (seq: number, child: string, query: string): SessionEvent => ({
    ...place(seq, query),
    type: "agent_spawned",
    child,
    agent_type: "researcher",
    task: child,
  });
  const events = [
    asked(1, "a"),
    delta(2, "One.", "a"),
    spawned(3, "w1", "a"),
    finished(4, "a"),
    asked(5, "b"),
    delta(6, "Two.", "b"),
    finished(7, "b"),
    asked(8, "c"),
    spawned(9, "w2", "c"),
    finished(10, "c"),
  ];

  it("is the same as of the whole", () => {
    const whole = view(...events);
    for (const cut of [4, 7]) {
      const paged = behind(view(...events.slice(0, cut)), view(...events.slice(cut)));
      expect({ ...paged, rewound: [] }).toEqual(whole);
    }
  });

  it("leaves out what a later page took back", () => {
    const rewound: SessionEvent = { ...place(11, "r"), type: "rewound", to_seq: 4 };
    const later = view(...events.slice(7), rewound);
    const paged = behind(view(...events.slice(0, 7)), later);
    expect(paged.turns.map((turn) => turn.id)).toEqual(["a"]);
    expect(paged.turns).toEqual(view(...events, rewound).turns);
    // And so does a page before it.
    const third = behind(view(...events.slice(0, 4)), behind(view(...events.slice(4, 7)), later));
    expect(third.turns.map((turn) => turn.id)).toEqual(["a"]);
  });
});
