// A session's events over one connection after another: each begins where the last one ended, so that
// nothing is missed and nothing comes twice. The browser's own EventSource can send no header and does
// not say why it failed.

import { spelled } from "./spelled";
import type { SessionEvent } from "./events";

/** How a stream is. */
export type StreamState = "connecting" | "open" | "waiting" | "logged-out" | "gone";

/** What one frame of a stream says. */
export interface Frame {
  id?: number;
  event: string;
  data: string;
}

/** Takes pieces of text and gives whole frames. */
export function frames(): (piece: string) => Frame[] {
  let rest = "";
  return (piece) => {
    rest += piece;
    const parts = rest.split("\n\n");
    rest = parts.pop() ?? "";
    return parts.map(frame).filter((one) => one !== undefined);
  };
}

function frame(text: string): Frame | undefined {
  let id: number | undefined;
  let event = "message";
  const data: string[] = [];
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, "");
    switch (line.slice(0, colon)) {
      case "id":
        id = Number(value);
        break;
      case "event":
        event = value;
        break;
      case "data":
        data.push(value);
        break;
    }
  }
  if (data.length === 0) return undefined;
  return { ...(id === undefined ? {} : { id }), event, data: data.join("\n") };
}

/** What a stream needs of the world. */
export interface Means {
  fetch: (path: string, init: RequestInit) => Promise<Response>;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Longest silence before a connection counts as dead: the server says every 10 s that it lives. */
const SILENCE_MS = 25_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/** Who follows a session. */
export interface Follower {
  /** The number of the last event that was taken. */
  after: () => number;
  take: (events: SessionEvent[]) => void;
  state: (state: StreamState) => void;
}

/** Follows a session until it is aborted, the session is gone, or the login counts no more. */
export async function follow(
  path: string,
  follower: Follower,
  means: Means,
  signal: AbortSignal,
): Promise<void> {
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    follower.state("connecting");
    const ended = await once(path, follower, means, signal, () => {
      wait = FIRST_WAIT_MS;
    });
    if (signal.aborted) return;
    follower.state(ended);
    if (ended !== "waiting") return;
    await means.wait(wait * (0.75 + Math.random() / 2), signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

async function once(
  path: string,
  follower: Follower,
  means: Means,
  signal: AbortSignal,
  lives: () => void,
): Promise<StreamState> {
  const connection = new AbortController();
  const leave = () => connection.abort();
  signal.addEventListener("abort", leave);
  let silence = setTimeout(leave, SILENCE_MS);
  try {
    const response = await means.fetch(path, {
      headers: { Accept: "text/event-stream", "Last-Event-ID": String(follower.after()) },
      signal: connection.signal,
    });
    if (response.status === 401) return "logged-out";
    if (response.status === 404) return "gone";
    if (!response.ok || response.body === null) return "waiting";
    follower.state("open");
    const read = frames();
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return "waiting";
      lives();
      clearTimeout(silence);
      silence = setTimeout(leave, SILENCE_MS);
      if (!pass(read(decoder.decode(value, { stream: true })), follower)) return "waiting";
    }
  } catch {
    // The connection broke off or was given up: the next one goes on.
    return "waiting";
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", leave);
    connection.abort();
  }
}

/** Passes events on; false where one is missing or the server says that something went wrong. */
function pass(all: Frame[], follower: Follower): boolean {
  let next = follower.after() + 1;
  const events: SessionEvent[] = [];
  let isWhole = true;
  for (const one of all) {
    if (one.event === "problem") {
      isWhole = false;
      break;
    }
    const event = JSON.parse(spelled(one.data)) as SessionEvent;
    if (one.id !== undefined) {
      if (one.id < next) continue;
      if (one.id > next) {
        isWhole = false;
        break;
      }
      next = one.id + 1;
    }
    events.push(event);
  }
  if (events.length > 0) follower.take(events);
  return isWhole;
}
