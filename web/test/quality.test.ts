import { describe, expect, it } from "vitest";
import type { Body, SessionEvent } from "../src/events";
import { isOpinion } from "../src/quality";
import { type View, apply, behind, empty } from "../src/view";

let seq = 0;
const event = (body: Body, query_id = "q1"): SessionEvent => {
  seq += 1;
  return { seq, query_id, time: "2031-01-01T00:00:00Z", session_id: "s", ...body };
};
const asked = (query = "q1") =>
  event({ type: "query_received", text: "hello", mode: "loop", origin: "user" }, query);
const finished = (query = "q1") =>
  event({ type: "query_finished", status: "success", duration_ms: 5 }, query);
const graded = (score: number, query = "q1") =>
  event({ type: "critique", score, feedback: "Short.", judge: "m/judge", rubric: "general" }, query);
const view = (events: SessionEvent[], from: View = empty) => events.reduce(apply, from);
const fault = { code: "quality.no_judge", message: "no judge", hint: "name one" };

describe("what was said of an answer", () => {
  it("stands with its request, the last grade in the place of the one before", () => {
    const all = [asked(), finished(), asked("q2"), finished("q2"), event({ type: "grade_asked" }), graded(2), graded(4)];
    const [first, second] = view(all).turns;
    expect(first?.quality).toEqual({
      asked: false,
      grade: { score: 4, feedback: "Short.", judge: "m/judge", rubric: "general" },
    });
    expect(second?.quality).toEqual({ asked: false });
  });

  it("begins anew where the second answer is taken over", () => {
    const before = view([
      asked(),
      event({ type: "second_asked" }),
      event({ type: "second_answered", answer: "Other", model: "m/b", temperature: 0 }),
      graded(4),
      event({ type: "feedback", score: 100, note: "" }),
    ]);
    expect(before.turns[0]?.quality.rating).toBe(100);
    const taken = view([event({ type: "second_taken", answer: "Other" })], before).turns[0]?.quality;
    expect(taken?.grade).toBeUndefined();
    expect(taken?.rating).toBeUndefined();
    expect(taken?.second?.answer).toBe("Other");
    expect(view([event({ type: "second_taken", answer: "Other" })], before).turns[0]?.endSeq).toBe(seq);
  });

  it("says why there is no grade, until there is one", () => {
    const missed = [asked(), event({ type: "grade_asked" }), event({ type: "not_graded", ...fault })];
    const at = view(missed);
    expect(at.turns[0]?.quality).toEqual({ asked: false, fault });
    expect(view([graded(3)], at).turns[0]?.quality.fault).toBeUndefined();
  });

  it("has a second answer with both words, also where no judge compared them", () => {
    const at = view([
      asked(),
      event({ type: "second_asked" }),
      event({ type: "second_answered", answer: "Other", model: "m/b", temperature: 0.5 }),
      event({ type: "second_missed", ...fault }),
    ]);
    expect(at.turns[0]?.quality.second).toEqual({
      state: "there",
      answer: "Other",
      model: "m/b",
      temperature: 0.5,
      fault,
    });
    const compared = event({ type: "pairwise", winner: "B", feedback: "More", judge: "m/judge" });
    const both = view([compared, event({ type: "second_rated", winner: "A" })], at);
    expect(both.turns[0]?.quality.second?.compared?.winner).toBe("B");
    expect(both.turns[0]?.quality.second?.chosen).toBe("A");
    expect(both.turns[0]?.quality.second?.taken).toBeUndefined();
    const taken = view([event({ type: "second_taken", answer: "Other" })], both);
    expect(taken.turns[0]?.quality.second?.taken).toBe(true);
    expect(taken.turns[0]?.items.at(-1)).toMatchObject({ kind: "text", text: "Other", taken: true });
    const none = view([asked("q3"), event({ type: "second_missed", ...fault }, "q3")]);
    expect(none.turns[0]?.quality.second).toEqual({ state: "missed", fault });
  });

  it("finds its request once that is read", () => {
    const first = [asked(), finished()];
    const second = asked("q2");
    const late = graded(5);
    const newest = view([second, late]);
    expect(newest.turns.map((turn) => turn.quality.grade?.score)).toEqual([undefined]);
    const whole = behind(view(first), newest);
    expect(whole.turns.map((turn) => turn.quality.grade?.score)).toEqual([5, undefined]);
    expect(whole.opinions).toEqual([]);
    // Still further back.
    expect(behind(view([asked("q0")]), newest).opinions).toEqual([late]);
  });

  it("is told from what happens in a request", () => {
    expect([event({ type: "grade_asked" }), event({ type: "feedback", score: 1, note: "" })].every(isOpinion)).toBe(true);
    expect(isOpinion(finished())).toBe(false);
  });
});
