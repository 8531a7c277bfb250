// Sessions by what was said in them, which only the server can look through.

import { signal } from "@preact/signals";
import * as api from "./api";
import type { Listed } from "./events";

/** How long nothing is typed before words are looked for, ms. */
const QUIET = 300;
/** Fewest characters that are looked for. */
const LEAST = 3;

const found = signal({ words: "", sessions: new Set<string>() });
let next: number | undefined;

/** Has the server look for words once nothing more is typed; where it cannot, titles are all there is. */
export function search(typed: string): void {
  window.clearTimeout(next);
  const words = typed.trim();
  if (words.length < LEAST || words === found.value.words) return;
  next = window.setTimeout(() => {
    api.said(words).then(
      (all) => (found.value = { words, sessions: new Set(all.map((one) => one.session_id)) }),
      () => undefined,
    );
  }, QUIET);
}

/** Whether the words that are typed are known to be in what was said in a session. */
export function has(session: Listed, typed: string): boolean {
  return found.value.words === typed.trim() && found.value.sessions.has(session.session_id);
}
