// An entry of memory is corrected, or forgotten once that was asked.

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import * as api from "./api";
import { Dialog } from "./dialog";
import type { Entry } from "./events";
import * as state from "./state";
import { s } from "./strings";

export function EntryDialog(): VNode | null {
  const wanted = state.entry.value;
  if (wanted === undefined) return null;
  return <Open key={`${wanted.task} ${wanted.id}`} wanted={wanted} />;
}

const close = () => (state.entry.value = undefined);

function Open({ wanted }: { wanted: state.WantedEntry }): VNode {
  const [entry, setEntry] = useState<Entry>();
  useEffect(() => {
    let isWanted = true;
    const shown = async () => {
      const whole = await api.entry(wanted.id);
      if (isWanted) setEntry(whole);
    };
    void state.attempt(shown).then((isShown) => {
      if (!isShown && isWanted) close();
    });
    return () => {
      isWanted = false;
    };
  }, []);
  const label = wanted.task === "forget" ? s.forgetEntry : s.correctEntry;
  return (
    <Dialog label={label} close={close} name="manage">
      <h2>{label}</h2>
      {entry === undefined && <p class="muted">{s.loads}</p>}
      {entry !== undefined && (wanted.task === "forget" ? <Forget entry={entry} /> : <Correct entry={entry} />)}
    </Dialog>
  );
}

/** What an entry is called, and what it says. */
const title = (entry: Entry) => entry.name ?? entry.question ?? "";
const text = (entry: Entry) => entry.text ?? entry.answer ?? "";

function Whole({ entry }: { entry: Entry }): VNode {
  return (
    <>
      <p class="muted">
        <bdi>{title(entry)}</bdi>
      </p>
      <pre tabIndex={0}>
        <code>{text(entry)}</code>
      </pre>
    </>
  );
}

function Forget({ entry }: { entry: Entry }): VNode {
  return (
    <>
      <Whole entry={entry} />
      <p>{s.forgetWarning}</p>
      <div class="row">
        <button type="button" class="danger" onClick={() => void state.forget(entry.id).then((done) => done && close())}>
          {s.forgetSure}
        </button>
        <button type="button" onClick={close}>
          {s.close}
        </button>
      </div>
    </>
  );
}

function Correct({ entry }: { entry: Entry }): VNode {
  const [words, setWords] = useState(entry.text ?? "");
  const isReady = words.trim() !== "" && words !== entry.text;
  return (
    <>
      {entry.text === undefined && <Whole entry={entry} />}
      <form
        class="stacked"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void state.correct(entry, words).then((done) => done && close());
        }}
      >
        <label>
          {s.correctLabel}
          <textarea dir="auto" rows={8} value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
        <div class="row">
          <button type="submit" class="primary" disabled={!isReady}>
            {s.correctSave}
          </button>
          <button type="button" onClick={close}>
            {s.close}
          </button>
        </div>
      </form>
    </>
  );
}
