import { describe, expect, it } from "vitest";
import { messageBody } from "../src/api";
import type { Body, SessionEvent } from "../src/events";
import { body, gist } from "../src/fence";
import { changes } from "../src/settings";
import { apply, calls, empty, recalls } from "../src/view";
import { type Worker, below, nobody, work } from "../src/workers";

const at = (seq: number, what: Body, more: Partial<SessionEvent> = {}): SessionEvent =>
  ({
    seq,
    query_id: "q1",
    time: `2031-01-01T00:00:0${seq}Z`,
    session_id: "s",
    ...more,
    ...what,
  }) as SessionEvent;

const asked: Body = { type: "query_received", text: "read it", mode: "loop", origin: "user" };
const begun = (child: string): Body => ({
  type: "agent_spawned",
  child,
  agent_type: "researcher",
  task: "look",
  budget_tokens: 100,
});
const over: Body = { type: "query_finished", status: "success", duration_ms: 5 };
const said = (prompt_tokens: number): Body => ({
  type: "model_answered",
  text: "",
  usage: { prompt_tokens, completion_tokens: 1 },
  aside: false,
});
const tool: Body = { type: "tool_requested", tool: "read_file", arguments: {}, recovered: false };
const report: Body = {
  type: "agent_finished",
  child: "a2",
  report: { status: "success", summary: "It is short.", result_quality: "verified" },
  corrections: ["it said more"],
};

const all = (...events: SessionEvent[]): Worker[] => events.reduce(work, nobody);

describe("those who work", () => {
  it("stand below the one that started them, with what they used of their budget", () => {
    const of = { agent_id: "a2" };
    const events = [
      at(1, asked),
      at(2, begun("a2"), { agent_id: "root" }),
      at(3, said(40), of),
      at(4, begun("a3"), of),
      at(5, tool, { ...of, call_id: "c" }),
    ];
    const now = all(...events);
    expect(below(now).map((one) => one.id)).toEqual(["a2"]);
    expect(below(now, "a2").map((one) => one.id)).toEqual(["a3"]);
    const second = now[1];
    expect([second?.tokens, second?.budget, second?.calls, second?.state]).toEqual([41, 100, 1, "working"]);
    expect(second?.open).toEqual([{ id: "c", tool: "read_file" }]);
  });

  it("report, or are lost with the request", () => {
    const events = [at(1, asked), at(2, begun("a2")), at(3, begun("a3")), at(4, report), at(5, over)];
    const [root, second, third] = all(...events);
    expect([root?.state, second?.state, third?.state]).toEqual(["idle", "reported", "lost"]);
    expect(second?.report).toEqual({
      status: "success",
      summary: "It is short.",
      quality: "verified",
      artifacts: [],
    });
    expect(second?.corrections).toEqual(["it said more"]);
    expect(root?.spans).toEqual([{ from: "2031-01-01T00:00:01Z", to: "2031-01-01T00:00:05Z" }]);
    expect(third?.spans[0]?.to).toBe("2031-01-01T00:00:05Z");
  });
});

describe("panels", () => {
  it("know who answered the question about a call", () => {
    const call = { call_id: "c" };
    const answered: Body = {
      type: "confirmation_answered",
      confirmation_id: "q",
      answer: { answer: "once" },
      by: "user",
      token: "web",
    };
    const view = [at(1, asked), at(2, tool, call), at(3, answered, call)].reduce(apply, empty);
    expect(calls(view)[0]?.answer).toEqual({ answer: { answer: "once" }, by: "web" });
  });

  it("have what was recalled, the newest first", () => {
    const recalled = (query: string, integrity: string): Body => ({
      type: "memory_recalled",
      memories: ["m"],
      query,
      text: "t",
      label: { integrity },
    });
    const events = [at(1, asked), at(2, recalled("a", "trusted")), at(3, recalled("b", "untrusted"))];
    const found = recalls(events.reduce(apply, empty));
    expect(found.map((one) => [one.query, one.trusted])).toEqual([["b", false], ["a", true]]);
  });
});

describe("a fence", () => {
  it("is taken away where it is one, and nowhere else", () => {
    const fenced = "[TOOL_RESULT: UNTRUSTED read_file 1a]\n[NOTE 1a: marked]\none\ntwo\n[END 1a]\n";
    expect(body(fenced)).toBe("one\ntwo\n");
    expect(body(`[FAILED]\n${fenced}`)).toBe("one\ntwo\n");
    for (const other of ["plain", "[TOOL_RESULT: a 1a]\none\n[END 2b]", "[TOOL_RESULT: a 1a]"]) {
      expect(body(other)).toBe(other);
    }
    expect(gist(fenced)).toBe("one two");
  });
});

describe("a message", () => {
  it("has its texts as data and its pictures as pictures", () => {
    const one = { name: "a.txt", text: "A", bytes: 1 };
    const picture = { name: "p.png", data: "AAAA", bytes: 3 };
    expect(messageBody("hi", [])).toEqual({ text: "hi" });
    expect(messageBody("hi", [one, picture])).toEqual({
      text: "hi",
      input: { name: "a.txt", text: "A" },
      pictures: [{ name: "p.png", data: "AAAA" }],
    });
    const both = messageBody("hi", [one, { ...one, name: "b.txt", text: "B" }]);
    expect(both["input"]).toEqual({ name: "a.txt, b.txt", text: "--- a.txt ---\nA\n\n--- b.txt ---\nB" });
  });

  it("changes of a session what was chosen and is another", () => {
    const profile = { name: "", agent_type: "coder", mode: "loop", model: { exact: "p/m" } };
    expect(changes({ mode: "loop", model: "p/m" }, profile)).toEqual({});
    expect(changes({ agent: "x", mode: "plan", model: "default" }, profile)).toEqual({
      mode: "plan",
      model: "default",
    });
    expect(changes({ agent: "x", mode: "plan", model: undefined })).toEqual({ agent: "x", mode: "plan" });
  });
});
