// Ctrl+K: every session and every command, by name.

import { type VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "./dialog";
import * as said from "./said";
import * as settings from "./settings";
import { folder, searched } from "./sidebar";
import * as state from "./state";
import { s } from "./strings";

interface Entry {
  key: string;
  name: string;
  about: string;
  run: () => void;
}

const MOST = 50;

function commands(): Entry[] {
  const session = state.session.value;
  const all: [string, (() => void) | undefined][] = [
    [s.newSession, () => state.go(undefined)],
    [s.stop, state.busy.value ? () => void state.stop() : undefined],
    [s.undo, session && (() => void state.undo())],
    ...settings.agents.value.map(({ agent }): [string, () => void] => [
      s.newSessionWith(agent),
      () => {
        state.go(undefined);
        settings.choice.value = { agent };
      },
    ]),
    ...state.PANELS.map((name): [string, () => void] => [
      s.openPanelOf(s.panels[name]),
      () => state.openPanel(name),
    ]),
    [s.context, session && (() => void state.lookAtContext())],
    [s.manage, session && (() => (state.managed.value = session))],
    [s.exportMarkdown, session && (() => void state.download(session, "markdown"))],
    [s.exportJson, session && (() => void state.download(session, "json"))],
    [s.logOut, () => void state.logOut()],
  ];
  return all.flatMap(([name, run]) =>
    run === undefined ? [] : [{ key: name, name, about: s.commands, run }],
  );
}

function entries(words: string): Entry[] {
  const wanted = words.trim().toLowerCase();
  const found = commands().filter((one) => one.name.toLowerCase().includes(wanted));
  const sessions = searched(words).map((one) => ({
    key: one.session_id,
    name: one.title || s.untitled,
    about: folder(one),
    run: () => state.go(one.session_id),
  }));
  return [...found, ...sessions].slice(0, MOST);
}

export function Palette(): VNode | null {
  if (!state.paletteOpen.value) return null;
  return <Open />;
}

function Open(): VNode {
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const found = entries(words);
  const close = () => (state.paletteOpen.value = false);
  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    close();
    entry.run();
  };
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((at + step + found.length) % Math.max(found.length, 1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found[at]);
    }
  };
  return (
    <Dialog label={s.palette} close={close} name="palette">
      <input
        type="text"
        role="combobox"
        aria-label={s.paletteHint}
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={found.length > 0 ? `found-${at}` : undefined}
        placeholder={s.paletteHint}
        value={words}
        onInput={(event) => {
          setWords(event.currentTarget.value);
          said.search(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={keys}
      />
      <ul id="found" role="listbox" aria-label={s.paletteHint} ref={list}>
        {found.map((entry, number) => (
          <li
            key={entry.key}
            id={`found-${number}`}
            role="option"
            aria-selected={number === at}
            onClick={() => run(entry)}
            onPointerMove={() => setAt(number)}
          >
            <bdi class="name">{entry.name}</bdi>
            <bdi class="about">{entry.about}</bdi>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="nothing">{s.nothingFound}</p>}
    </Dialog>
  );
}
