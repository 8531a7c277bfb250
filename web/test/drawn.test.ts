import { describe, expect, it } from "vitest";
import { Heights, drawn, rowAt } from "../src/drawn";

describe("rows that are drawn", () => {
  const heights = [10, 20, 30, 40];

  it("are those between two places, and the others keep their room", () => {
    expect(drawn(heights, 0, 1000)).toEqual({ from: 0, to: 4, before: 0, after: 0 });
    expect(drawn(heights, 10, 30)).toEqual({ from: 1, to: 2, before: 10, after: 70 });
    expect(drawn(heights, 29, 31)).toEqual({ from: 1, to: 3, before: 10, after: 40 });
    expect(drawn(heights, 60, 61)).toEqual({ from: 3, to: 4, before: 60, after: 0 });
    expect(drawn(heights, 500, 900)).toEqual({ from: 4, to: 4, before: 100, after: 0 });
    expect(drawn([], 0, 100)).toEqual({ from: 0, to: 0, before: 0, after: 0 });
  });

  it("always take the room of all", () => {
    for (let begin = -20; begin < 120; begin += 1) {
      const { from, to, before, after } = drawn(heights, begin, begin + 35);
      const shown = heights.slice(from, to).reduce((sum, height) => sum + height, 0);
      expect(before + shown + after).toBe(100);
    }
  });

  it("are found by their place", () => {
    expect(rowAt(heights, 0)).toEqual({ at: 0, offset: 0 });
    expect(rowAt(heights, 35)).toEqual({ at: 2, offset: -5 });
    expect(rowAt(heights, 5000)).toEqual({ at: 3, offset: -4940 });
    expect(rowAt([], 3)).toEqual({ at: 0, offset: 0 });
  });

  it("are guessed by those that were drawn", () => {
    const known = new Heights();
    expect(known.of(["a", "b"], 7)).toEqual([7, 7]);
    known.set("a", 10);
    known.set("b", 20);
    known.set("a", 40);
    expect(known.of(["a", "b", "c"], 7)).toEqual([40, 20, 30]);
  });
});
