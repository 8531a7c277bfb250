// What the page knows, and what a person can have it do. Components read signals and call these
// functions; nothing else asks the server.

import { batch, computed, signal } from "@preact/signals";
import * as api from "./api";
import * as attachments from "./attachments";
import type { Answer, Context, Entry, Fault, Listed, SessionEvent, Winner } from "./events";
import * as settings from "./settings";
import { type StreamState, follow } from "./stream";
import { s } from "./strings";
import { type Branches, branches } from "./branches";
import { type TextItem, type View, apply, behind, empty, isBusy, questions } from "./view";

export const listed = signal<Listed[]>([]);
export const current = signal<string | undefined>(undefined);
export const view = signal<View>(empty);
/** Before which event the requests end that are not read yet; none: all are. */
export const earlier = signal<number | undefined>(undefined);
/** The event behind which a person wants to look. */
export const sought = signal<number | undefined>(undefined);
export const stream = signal<StreamState>("connecting");
export const loggedOut = signal(false);
/** Whether a link to log in did not count. */
export const loginFailed = signal(false);
export const problem = signal<Fault | undefined>(undefined);
/** What a screen reader is told. */
export const announced = signal("");
export const paletteOpen = signal(false);
export const sidebarOpen = signal(false);
/** The session that is renamed, exported or deleted. */
export const managed = signal<Listed | undefined>(undefined);
/** An entry of memory, and what is to be done with it. */
export interface WantedEntry {
  id: string;
  task: "correct" | "forget";
}
export const entry = signal<WantedEntry | undefined>(undefined);
/** How often memory was changed here, and what came of the last change. */
export const changed = signal<{ count: number; said: string }>({ count: 0, said: "" });

/** The panel that is open beside the session. */
export type PanelName = "agents" | "calls" | "jobs" | "memory" | "models" | "policy" | "quality";
export const PANELS: PanelName[] = ["agents", "calls", "jobs", "memory", "models", "policy", "quality"];
export const panel = signal<PanelName | undefined>(undefined);

/** Where the focus was before a panel was opened. */
let before: Element | null = null;

export function openPanel(name: PanelName): void {
  if (panel.value === undefined) before = document.activeElement;
  panel.value = name;
}

export function closePanel(): void {
  panel.value = undefined;
  const back = before instanceof HTMLElement && before.isConnected ? before : undefined;
  // The page beside it may be inert until it is drawn anew.
  requestAnimationFrame(() => (back ?? document.getElementById("message"))?.focus());
}

/** What the model is shown next, while that is looked at. */
export const shown = signal<Context | undefined>(undefined);

export const open = computed(() => questions(view.value));
export const busy = computed(() => isBusy(view.value));
/** Where the session and its copies part. */
export const parts = computed(() => branches(listed.value, current.value ?? ""));
export const session = computed(() =>
  listed.value.find((one) => one.session_id === current.value),
);

const drafts = {
  place: (id: string) => `carl.draft.${id}`,
  get: (id: string) => sessionStorage.getItem(drafts.place(id)) ?? "",
  set: (id: string, text: string) => {
    if (text === "") sessionStorage.removeItem(drafts.place(id));
    else sessionStorage.setItem(drafts.place(id), text);
  },
};

export const draft = signal("");

export function setDraft(text: string): void {
  draft.value = text;
  drafts.set(current.value ?? "", text);
}

/** Does something, and shows what went wrong. */
export async function attempt(work: () => Promise<void>): Promise<boolean> {
  try {
    problem.value = undefined;
    await work();
    return true;
  } catch (error) {
    if (error instanceof api.Refused && error.status === 401) loggedOut.value = true;
    else if (error instanceof api.Refused) problem.value = error.fault;
    else problem.value = { code: "page", message: error instanceof Error ? error.message : String(error) };
    return false;
  }
}

/** How often the sessions are listed while nothing happens here: others may work in them. */
const LOOK_MS = 30_000;

// --- logging in ---------------------------------------------------------------------------------------

/** Begins: logs in if the address says how, and shows what it names. */
export async function begin(): Promise<void> {
  window.addEventListener("hashchange", () => void arrive());
  api.onLogin(() => void comeBack());
  const look = () => {
    if (!document.hidden && !loggedOut.value) void refresh();
  };
  document.addEventListener("visibilitychange", look);
  setInterval(look, LOOK_MS);
  await arrive();
}

async function arrive(): Promise<void> {
  const place = new URLSearchParams(location.hash.slice(1));
  const code = place.get("login");
  if (code !== null) {
    // Out of the address and the history before anything else.
    const back = current.value === undefined ? "" : `#session=${current.value}`;
    history.replaceState(null, "", `/${back}`);
    const isIn = await attempt(() => api.logIn(code));
    if (isIn) {
      await comeBack();
      return;
    }
    // A link that was used says nothing about the login that it gave.
    loggedOut.value = false;
    await refresh();
    loginFailed.value = loggedOut.value;
    if (!loginFailed.value) problem.value = undefined;
    return;
  }
  const id = place.get("session") ?? undefined;
  await refresh();
  if (!loggedOut.value) void settings.look();
  if (id !== current.value || view.value === empty) show(id);
}

/** Goes on after a login, here or in another tab. */
async function comeBack(): Promise<void> {
  loggedOut.value = false;
  loginFailed.value = false;
  problem.value = undefined;
  await refresh();
  void settings.look();
  if (current.value !== undefined && stream.value === "logged-out") void attach(current.value);
}

export async function logOut(): Promise<void> {
  await attempt(api.logOut);
  // Nothing of what was shown stays in this tab.
  window.location.reload();
}

// --- sessions -----------------------------------------------------------------------------------------

export async function refresh(): Promise<void> {
  try {
    listed.value = await api.sessions();
  } catch (error) {
    // The stream says itself when nobody answers.
    if (error instanceof api.Refused && error.status === 401) loggedOut.value = true;
  }
}

export function go(id: string | undefined): void {
  sidebarOpen.value = false;
  const hash = id === undefined ? "" : `#session=${id}`;
  if (location.hash !== hash) history.pushState(null, "", `/${hash}`);
  show(id);
}

let leaving = new AbortController();

function leave(): void {
  leaving.abort();
  leaving = new AbortController();
}

function show(id: string | undefined): void {
  leave();
  batch(() => {
    current.value = id;
    settings.choice.value = {};
    attachments.clear();
    view.value = empty;
    earlier.value = undefined;
    sought.value = undefined;
    problem.value = undefined;
    draft.value = drafts.get(id ?? "");
    stream.value = "connecting";
  });
  if (id !== undefined) void attach(id);
}

/** Reads the newest requests of a session, and goes on with what comes. */
async function attach(id: string): Promise<void> {
  const { signal } = leaving;
  for (let ms = AGAIN_MS; view.value.seq === 0; ms = Math.min(2 * ms, LONGEST_MS)) {
    const state = await read(id, signal);
    if (signal.aborted) return;
    stream.value = state;
    if (state === "logged-out") loggedOut.value = true;
    if (state === "open") break;
    if (state !== "waiting") return;
    await wait(ms, signal);
  }
  const means = { fetch: api.ask, wait };
  const follower = {
    after: () => view.value.seq,
    take,
    state: (state: StreamState) => {
      if (signal.aborted) return;
      stream.value = state;
      if (state === "logged-out") loggedOut.value = true;
    },
  };
  void follow(api.eventsOf(id), follower, means, signal);
}

/** How long to wait before a server that did not answer is asked again. */
const AGAIN_MS = 250;
const LONGEST_MS = 5_000;

async function read(id: string, signal: AbortSignal): Promise<StreamState> {
  try {
    const page = await api.history(id);
    if (signal.aborted) return "gone";
    batch(() => {
      view.value = page.events.reduce(apply, empty);
      earlier.value = page.before ?? undefined;
    });
    if (view.value.profile === undefined) void lookAtSetting(id);
    return "open";
  } catch (error) {
    const status = error instanceof api.Refused ? error.status : 0;
    return status === 401 ? "logged-out" : status === 404 ? "gone" : "waiting";
  }
}

/** A session tells at its beginning by what it works, which may be further back than was read. */
const lookAtSetting = (id: string) =>
  attempt(async () => {
    const { agent = "", mode = "", model = null } = await api.setting(id);
    if (current.value !== id || view.value.profile !== undefined) return;
    view.value = { ...view.value, profile: { name: "", agent_type: agent, mode, model } };
  });

let isLooking = false;

/** Reads the requests before those that are there. */
export async function lookEarlier(): Promise<void> {
  const [id, before] = [current.value, earlier.value];
  if (id === undefined || before === undefined || isLooking) return;
  isLooking = true;
  await attempt(async () => {
    const page = await api.history(id, before);
    if (current.value !== id || earlier.value !== before) return;
    batch(() => {
      view.value = behind(page.events.reduce(apply, empty), view.value);
      earlier.value = page.before ?? undefined;
    });
  });
  isLooking = false;
}

/** Shows another branch, from where it parts. */
export async function goToBranch({ at, sessions }: Branches, number: number): Promise<void> {
  go(sessions[number]);
  sought.value = at;
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      done();
    });
  });
}

function take(events: SessionEvent[]): void {
  const before = view.value;
  const wasBusy = isBusy(before);
  const next = events.reduce(apply, before);
  view.value = next;
  const last = next.turns.at(-1);
  const asked = questions(next).length;
  if (asked > questions(before).length) announced.value = s.asks;
  else if (wasBusy && !isBusy(next) && last !== undefined && last.endSeq !== undefined) {
    const said = last.items.findLast((item) => item.kind === "text") as TextItem | undefined;
    announced.value = `${s.finished[last.state as "success"]}. ${said?.text ?? ""}`;
    void refresh();
  }
}

// --- what a person does -------------------------------------------------------------------------------

/** The sessions in which somebody is known to answer. */
const attended = new Set<string>();

export async function sendMessage(text: string): Promise<void> {
  // At once, so that nothing is sent twice.
  setDraft("");
  const files = attachments.files.value;
  const chosen = settings.choice.value;
  attachments.clear();
  const isSent = await attempt(async () => {
    const id = current.value ?? (await begun(settings.changes(chosen)));
    if (!attended.has(id)) {
      if (!(await api.setting(id)).attended) await api.attend(id);
      attended.add(id);
    }
    const changes = settings.changes(chosen, view.value.profile);
    if (view.value.profile !== undefined && Object.keys(changes).length > 0) {
      await api.configure(id, changes);
    }
    await api.message(id, text, files);
  });
  if (isSent) {
    if (settings.choice.value === chosen) settings.choice.value = {};
    void refresh();
    return;
  }
  if (draft.value === "") setDraft(text);
  if (attachments.files.value.length === 0) attachments.files.value = files;
}

async function begun(choice: api.Choice): Promise<string> {
  const { session_id: id } = await api.create(choice);
  attended.add(id);
  go(id);
  return id;
}

export const stop = () =>
  attempt(async () => {
    if (current.value !== undefined) await api.interrupt(current.value);
  });

export const undo = () =>
  attempt(async () => {
    if (current.value !== undefined) await api.undo(current.value);
  });

export const lookAtContext = () =>
  attempt(async () => {
    if (current.value !== undefined) shown.value = await api.context(current.value);
  });

export const answer = (question: string, binding: string, given: Answer) =>
  attempt(async () => {
    if (current.value !== undefined) await api.confirm(current.value, question, binding, given);
  });

export const rate = (query: string, score: number) =>
  attempt(async () => {
    if (current.value !== undefined) await api.rate(current.value, query, score);
  });

export const grade = (query: string) =>
  attempt(async () => {
    if (current.value !== undefined) await api.grade(current.value, query);
  });

export const askSecond = (query: string) =>
  attempt(async () => {
    if (current.value !== undefined) await api.second(current.value, query);
  });

export const rateSecond = (query: string, winner: Winner) =>
  attempt(async () => {
    if (current.value !== undefined) await api.rateSecond(current.value, query, winner);
  });

export const takeSecond = (query: string) =>
  attempt(async () => {
    if (current.value !== undefined) await api.takeSecond(current.value, query);
  });

/** Goes on in a copy that ends at an event (0: in a new session), with a message that is to be changed. */
export const copyAt = (seq: number, text: string) =>
  attempt(async () => {
    if (current.value === undefined) return;
    if (seq === 0) {
      go(undefined);
      setDraft(text);
      return;
    }
    const made = await api.fork(current.value, seq);
    await refresh();
    go(made.session_id);
    if (text !== "") setDraft(text);
  });

export const rename = (id: string, name: string) =>
  attempt(async () => {
    await api.rename(id, name);
    await refresh();
  });

export const remove = (id: string) =>
  attempt(async () => {
    if (current.value === id) leave();
    await api.remove(id);
    await refresh();
    if (current.value === id) go(undefined);
  });

export const download = (one: Listed, format: "markdown" | "json") =>
  attempt(async () => {
    const blob = await api.exported(one.session_id, format);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `session-${one.session_id.slice(-8)}.${format === "json" ? "json" : "md"}`;
    link.click();
    URL.revokeObjectURL(link.href);
  });

/** Tells that memory is another now. */
function tellChange(said: string): void {
  changed.value = { count: changed.value.count + 1, said };
}

export const correct = (one: Entry, text: string) =>
  attempt(async () => {
    await api.correct(one, text);
    tellChange(s.correctedEntry);
  });

export const forget = (id: string) =>
  attempt(async () => {
    const { entries, held_by: held } = await api.forget(id);
    tellChange(s.forgotten(entries, held?.entries ?? 0));
  });
