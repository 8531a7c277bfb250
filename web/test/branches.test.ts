import { describe, expect, it } from "vitest";
import { branches } from "../src/branches";
import type { Listed } from "../src/events";

/** A session made in the order of its name, and what it is a copy of. */
function one(id: string, from?: [string, number]): Listed {
  const origin = from === undefined ? null : { session_id: from[0], at_seq: from[1] };
  return {
    session_id: id,
    title: id,
    workspace: "/w",
    created: id,
    updated: "0",
    last_seq: 50,
    live: false,
    forked_from: origin,
  };
}

describe("branches", () => {
  it("are a session and its copies, the same for each of them", () => {
    const all = [one("c", ["a", 10]), one("b", ["a", 10]), one("a"), one("z")];
    const sessions = ["a", "b", "c"];
    for (const [own, id] of sessions.entries()) {
      expect(branches(all, id)).toEqual([{ at: 10, sessions, own }]);
    }
    expect(branches(all, "z")).toEqual([]);
  });

  it("are those of what a copy is a copy of, where it parted before", () => {
    const all = [one("a"), one("b", ["a", 10]), one("c", ["b", 20]), one("d", ["a", 30])];
    expect(branches(all, "c")).toEqual([
      { at: 10, sessions: ["a", "b"], own: 1 },
      { at: 20, sessions: ["b", "c"], own: 1 },
    ]);
    expect(branches(all, "a")).toEqual([
      { at: 10, sessions: ["a", "b"], own: 0 },
      { at: 30, sessions: ["a", "d"], own: 0 },
    ]);
    expect(branches(all, "b").map((one) => one.at)).toEqual([10, 20]);
  });

  it("count a copy of a copy at the same place as one of the first", () => {
    const all = [one("a"), one("b", ["a", 10]), one("c", ["b", 10]), one("d", ["b", 5])];
    expect(branches(all, "c")).toEqual([
      { at: 5, sessions: ["a", "d"], own: 0 },
      { at: 10, sessions: ["a", "b", "c"], own: 2 },
    ]);
  });

  it("are paged through without the first one, once it is deleted", () => {
    const all = [one("b", ["a", 10]), one("c", ["a", 10])];
    expect(branches(all, "b")).toEqual([{ at: 10, sessions: ["b", "c"], own: 0 }]);
    expect(branches([one("b", ["a", 10])], "b")).toEqual([]);
  });

  it("end where sessions name each other", () => {
    const all = [one("a", ["b", 10]), one("b", ["a", 10])];
    expect(branches(all, "a").length).toBeLessThan(3);
  });
});
