// All sessions, the last used first.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Listed } from "./events";
import { Icon } from "./icons";
import * as said from "./said";
import * as state from "./state";
import { ago, s } from "./strings";

const wanted = signal("");
/** Rows that are drawn; a search finds the others. */
const MOST = 200;

export function folder(session: Listed): string {
  return session.workspace.split("/").findLast((part) => part !== "") ?? "/";
}

/** The sessions of a search: first those that it finds by what is known of them, then by what was said. */
export function searched(words: string): Listed[] {
  const all = state.listed.value;
  const known = all.filter((one) => matches(one, words));
  return [...known, ...all.filter((one) => said.has(one, words) && !matches(one, words))];
}

/** Whether all words of a search stand in what is known of a session. */
function matches(session: Listed, words: string): boolean {
  const text = `${session.title} ${session.workspace} ${session.session_id}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export function Sidebar(): VNode {
  const search = useRef<HTMLInputElement>(null);
  const isOpen = state.sidebarOpen.value;
  useEffect(() => {
    if (isOpen) search.current?.focus();
  }, [isOpen]);
  const found = searched(wanted.value);
  const folders = new Set(state.listed.value.map((one) => one.workspace));
  return (
    <nav class="side" aria-label={s.sessions}>
      <div class="side-head">
        <span class="brand">
          <img src="/icon.svg" alt="" width="22" height="22" /> Housecarl
        </span>
        <button
          type="button"
          class="icon only-narrow"
          aria-label={s.closeSessions}
          onClick={() => (state.sidebarOpen.value = false)}
        >
          <Icon name="close" />
        </button>
      </div>
      <button type="button" class="new" onClick={begin}>
        <Icon name="plus" /> {s.newSession}
      </button>
      <input
        ref={search}
        type="search"
        class="find"
        placeholder={s.search}
        aria-label={s.search}
        value={wanted.value}
        onInput={(event) => {
          wanted.value = event.currentTarget.value;
          said.search(wanted.value);
        }}
      />
      <ul class="sessions">
        {found.slice(0, MOST).map((one) => (
          <li key={one.session_id}>
            <a
              href={`#session=${one.session_id}`}
              aria-current={one.session_id === state.current.value ? "page" : undefined}
              onClick={(event) => {
                event.preventDefault();
                state.go(one.session_id);
              }}
            >
              <bdi class="name">{one.title || s.untitled}</bdi>
              <span class="about">
                {folders.size > 1 && <bdi>{folder(one)} · </bdi>}
                {ago(one.updated)}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p class="nothing">{state.listed.value.length === 0 ? s.noSessions : s.nothingFound}</p>
      )}
      <button type="button" class="quiet" onClick={() => void state.logOut()}>
        {s.logOut}
      </button>
    </nav>
  );
}

function begin(): void {
  state.go(undefined);
  document.getElementById("message")?.focus();
}
