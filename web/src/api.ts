// How the server is asked. The cookie is the browser's to send; the key beside it stands in storage that
// no other port of this machine reads.

import type {
  AgentType,
  Answer,
  Audited,
  Context,
  Decision,
  Drive,
  Entry,
  Fault,
  Forgotten,
  Found,
  Given,
  History,
  Listed,
  Models,
  Profile,
  Program,
  Report,
  Tool,
  Winner,
} from "./events";
import { spelled } from "./spelled";

const KEY = "carl.key";

/** A request that was refused. */
export class Refused extends Error {
  readonly status: number;
  readonly fault: Fault;

  constructor(status: number, fault: Fault) {
    super(fault.message);
    this.status = status;
    this.fault = fault;
  }
}

export function key(): string {
  return localStorage.getItem(KEY) ?? "";
}

/** Tells when another tab logs in. */
export function onLogin(told: () => void): () => void {
  const heard = (event: StorageEvent) => {
    if (event.key === KEY && event.newValue) told();
  };
  window.addEventListener("storage", heard);
  return () => window.removeEventListener("storage", heard);
}

export function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("X-Carl-Key", key());
  return fetch(path, { ...init, headers, credentials: "same-origin", redirect: "error" });
}

/** What an answer says. */
async function told(response: Response): Promise<unknown> {
  return JSON.parse(spelled(await response.text()));
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  const said = (await told(response).catch(() => ({}))) as Record<string, string>;
  const { code = "http", detail = response.statusText, hint } = said;
  const fault = hint === undefined ? { code, message: detail } : { code, message: detail, hint };
  throw new Refused(response.status, fault);
}

async function send(method: string, path: string, body?: unknown, accept?: string): Promise<Response> {
  const headers: Record<string, string> = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (accept !== undefined) headers["Accept"] = accept;
  const init: RequestInit = { method, headers };
  if (body !== undefined) init.body = JSON.stringify(body);
  return checked(await ask(path, init));
}

const at = (session: string) => `/api/v1/sessions/${encodeURIComponent(session)}`;

/** Logs in by the code of a link. */
export async function logIn(code: string): Promise<void> {
  const response = await send("POST", "/login", { code });
  const begun = (await told(response)) as { key: string };
  localStorage.setItem(KEY, begun.key);
}

export async function logOut(): Promise<void> {
  await send("POST", "/logout", {});
  localStorage.removeItem(KEY);
}

/** All sessions, the last used first. */
export async function sessions(): Promise<Listed[]> {
  const all: Listed[] = [];
  let cursor = "";
  do {
    const response = await checked(await ask(`/api/v1/sessions?limit=500${cursor}`));
    const page = (await told(response)) as { sessions: Listed[]; next: string | null };
    all.push(...page.sessions);
    cursor = page.next === null ? "" : `&cursor=${encodeURIComponent(page.next)}`;
  } while (cursor !== "");
  return all;
}

/** The newest sessions in which a message has all of these words. */
export async function said(words: string): Promise<Listed[]> {
  const response = await checked(
    await ask(`/api/v1/sessions?limit=200&said=${encodeURIComponent(words)}`),
  );
  return ((await told(response)) as { sessions: Listed[] }).sessions;
}

/** What a session is opened with, or changed to. */
export interface Choice {
  agent?: string;
  mode?: string;
  /** `default`: what suits the agent type. */
  model?: string;
}

export async function create(choice: Choice): Promise<Listed> {
  const response = await send("POST", "/api/v1/sessions", { ...choice, attended: true });
  return (await told(response)) as Listed;
}

export async function configure(session: string, choice: Choice): Promise<void> {
  await send("POST", `${at(session)}/configure`, choice);
}

/** What a message is sent with: its words, and the files that go along. */
export function messageBody(text: string, files: Given[]): Record<string, unknown> {
  const texts = files.filter((one) => one.text !== undefined);
  const pictures = files.filter((one) => one.data !== undefined);
  const [first] = texts;
  const whole =
    texts.length === 1
      ? first?.text
      : texts.map((one) => `--- ${one.name} ---\n${one.text}`).join("\n\n");
  return {
    text,
    ...(texts.length === 0
      ? {}
      : { input: { name: texts.map((one) => one.name).join(", "), text: whole } }),
    ...(pictures.length === 0
      ? {}
      : { pictures: pictures.map(({ name, data }) => ({ name, data })) }),
  };
}

/** Sends a message. What comes of it comes with the session's events. */
export async function message(session: string, text: string, files: Given[]): Promise<void> {
  const body = messageBody(text, files);
  const response = await send("POST", `${at(session)}/messages`, body, "text/event-stream");
  await response.body?.cancel();
}

export async function undo(session: string): Promise<void> {
  const response = await send("POST", `${at(session)}/undo`, {}, "text/event-stream");
  await response.body?.cancel();
}

export async function interrupt(session: string, query?: string): Promise<void> {
  await send("POST", `${at(session)}/interrupt`, query === undefined ? {} : { query_id: query });
}

export async function confirm(
  session: string,
  question: string,
  binding: string,
  answer: Answer,
): Promise<void> {
  const place = `${at(session)}/confirmations/${encodeURIComponent(question)}`;
  await send("POST", place, { binding, ...answer });
}

/** By what a session works. */
export interface Setting {
  agent?: string;
  mode?: string;
  model?: Profile["model"];
  /** Whether questions wait for somebody, or are refused. */
  attended?: boolean;
}

export async function setting(session: string): Promise<Setting> {
  return (await told(await checked(await ask(at(session))))) as Setting;
}

/** The newest requests of a session, or those before an event. */
export async function history(session: string, before?: number): Promise<History> {
  const page = before === undefined ? "" : `?before=${before}&limit=200`;
  return (await told(await checked(await ask(`${at(session)}/history${page}`)))) as History;
}

export async function attend(session: string): Promise<void> {
  await send("POST", `${at(session)}/configure`, { attended: true });
}

export async function rename(session: string, name: string): Promise<void> {
  await send("POST", `${at(session)}/rename`, { name });
}

export async function remove(session: string): Promise<void> {
  await send("DELETE", at(session));
}

export async function fork(session: string, seq: number): Promise<Listed> {
  const response = await send("POST", `${at(session)}/fork`, { at_seq: seq });
  return (await told(response)) as Listed;
}

export async function exported(session: string, format: "markdown" | "json"): Promise<Blob> {
  return (await checked(await ask(`${at(session)}/export?format=${format}`))).blob();
}

export async function context(session: string): Promise<Context> {
  const response = await checked(await ask(`${at(session)}/context`));
  return (await told(response)) as Context;
}

async function read(path: string): Promise<unknown> {
  return told(await checked(await ask(path)));
}

export async function agents(): Promise<AgentType[]> {
  return ((await read("/api/v1/agents")) as { agents: AgentType[] }).agents;
}

export async function models(): Promise<Models> {
  return (await read("/api/v1/models")) as Models;
}

/** What memory has on a question, and what each stage of the search saw. */
export async function searchMemory(query: string): Promise<Found> {
  return (await told(await send("POST", "/api/v1/memory/search", { query }))) as Found;
}

const memory = (id: string) => `/api/v1/memory/${encodeURIComponent(id)}`;

export async function entry(id: string): Promise<Entry> {
  return (await read(memory(id))) as Entry;
}

/** Keeps a text in the place of an entry, with what was said about it. */
export async function correct(entry: Entry, text: string): Promise<void> {
  const { description = "", tags = [] } = entry;
  await send("POST", `${memory(entry.id)}/correct`, { text, description, tags });
}

export async function forget(id: string): Promise<Forgotten> {
  return (await told(await send("DELETE", memory(id)))) as Forgotten;
}

export async function tools(): Promise<Tool[]> {
  return ((await read("/api/v1/tools")) as { tools: Tool[] }).tools;
}

/** A call that is only thought of. */
export interface Thought {
  agent?: string;
  tool: string;
  arguments: unknown;
  attended: boolean;
}

/** What the policy says to a call. */
export async function explain(call: Thought): Promise<Decision> {
  return (await told(await send("POST", "/api/v1/policy/explain", call))) as Decision;
}

/** Where the drive of a session stands; `null`: it was never on. */
export async function drive(session: string): Promise<Drive | null> {
  return ((await read(at(session))) as { drive: Drive | null }).drive;
}

export async function audit(session: string): Promise<Audited> {
  return (await read(`${at(session)}/audit`)) as Audited;
}

/** The programs of a session; of those that run, with the last of what they say. */
export async function programs(session: string): Promise<Program[]> {
  return ((await read(`${at(session)}/programs`)) as { programs: Program[] }).programs;
}

const named = (one: Program): Record<string, string> =>
  one.job === null ? { call_id: one.call_id ?? "" } : { job: one.job };

/** One of them, with all that is kept of what it said. */
export async function program(session: string, one: Program): Promise<Program | undefined> {
  const name = new URLSearchParams(named(one));
  const answer = (await read(`${at(session)}/programs?${name}`)) as { programs: Program[] };
  return answer.programs[0];
}

export async function stopProgram(session: string, one: Program): Promise<void> {
  await send("POST", `${at(session)}/programs/stop`, named(one));
}

/** Says what an answer is worth, -100 to 100. */
export async function rate(session: string, query: string, score: number): Promise<void> {
  await send("POST", "/feedback", { session_id: session, query_id: query, score });
}

/** Has an answer graded. What comes of it comes with the session's events, as with a second answer. */
export async function grade(session: string, query: string): Promise<void> {
  await send("POST", `${at(session)}/grade`, { query_id: query });
}

/** Has a request answered once more. */
export async function second(session: string, query: string): Promise<void> {
  await send("POST", `${at(session)}/second`, { query_id: query });
}

/** Says which of both answers is better. */
export async function rateSecond(session: string, query: string, winner: Winner): Promise<void> {
  await send("POST", `${at(session)}/second/rating`, { query_id: query, winner });
}

/** Puts the second answer to the last request in the place of the first. */
export async function takeSecond(session: string, query: string): Promise<void> {
  await send("POST", `${at(session)}/second/take`, { query_id: query });
}

/** What grades, ratings and comparisons of all sessions come to. */
export async function quality(): Promise<Report> {
  return (await read("/api/v1/quality")) as Report;
}

export const eventsOf = (session: string) => `${at(session)}/events`;
