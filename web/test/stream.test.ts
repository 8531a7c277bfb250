import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../src/events";
import { type StreamState, follow, frames } from "../src/stream";

const frame = (seq: number) =>
  `id: ${seq}\nevent: notice\ndata: ${JSON.stringify({ seq, type: "notice" })}\n\n`;

/** Follows a server that answers each connection with these pieces, and then ends it. */
async function followed(connections: string[][], last: number = 404) {
  const asked: string[] = [];
  const taken: number[] = [];
  const states: StreamState[] = [];
  const waits: number[] = [];
  const fetch = (_path: string, init: RequestInit): Promise<Response> => {
    asked.push(new Headers(init.headers).get("Last-Event-ID") ?? "");
    const pieces = connections.shift();
    if (pieces === undefined) return Promise.resolve(new Response(null, { status: last }));
    const body = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    });
    return Promise.resolve(new Response(body));
  };
  const follower = {
    after: () => taken.at(-1) ?? 0,
    take: (events: SessionEvent[]) => void taken.push(...events.map((event) => event.seq)),
    state: (state: StreamState) => void states.push(state),
  };
  const wait = (ms: number) => {
    waits.push(ms);
    return Promise.resolve();
  };
  await follow("/events", follower, { fetch, wait }, new AbortController().signal);
  return { asked, taken, states, waits };
}

describe("frames", () => {
  it("are whole, however they are cut", () => {
    const text = `: still here\n\n${frame(1)}${frame(2)}`;
    for (let size = 1; size < text.length; size += 1) {
      const read = frames();
      const all = [];
      for (let at = 0; at < text.length; at += size) all.push(...read(text.slice(at, at + size)));
      expect(all.map((one) => one.id)).toEqual([1, 2]);
    }
  });
});

describe("a stream", () => {
  it("goes on where the last connection ended", async () => {
    const first = [frame(1), frame(2).slice(0, 9)];
    const { asked, taken, states } = await followed([first, [frame(2), frame(3)]]);
    expect(asked).toEqual(["0", "1", "3"]);
    expect(taken).toEqual([1, 2, 3]);
    expect(states.at(-1)).toBe("gone");
  });

  it("takes nothing twice, and asks again where something is missing", async () => {
    const { asked, taken } = await followed([
      [frame(1), frame(2)],
      [frame(1), frame(2), frame(3), frame(5)],
      [frame(4), frame(5)],
    ]);
    expect(taken).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual(["0", "2", "3", "5"]);
  });

  it("waits longer and longer for a server that is gone", async () => {
    const { waits } = await followed([[], [], [], [], [], [], []]);
    expect(waits.length).toBe(7);
    expect(Math.min(...waits.slice(5))).toBeGreaterThan(Math.max(...waits.slice(0, 2)));
    expect(Math.max(...waits)).toBeLessThan(10_000);
  });

  it("ends where the login counts no more", async () => {
    const { states } = await followed([], 401);
    expect(states).toEqual(["connecting", "logged-out"]);
  });
});
