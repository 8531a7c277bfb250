// A session is renamed, exported or deleted.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "./dialog";
import type { Listed } from "./events";
import * as state from "./state";
import { s } from "./strings";

export function Manage(): VNode | null {
  const session = state.managed.value;
  if (session === undefined) return null;
  return <Open key={session.session_id} session={session} />;
}

function Open({ session }: { session: Listed }): VNode {
  const [name, setName] = useState(session.title);
  const [isSure, setSure] = useState(false);
  const close = () => (state.managed.value = undefined);
  const then = (work: Promise<boolean>) => void work.then(close);
  return (
    <Dialog label={s.manage} close={close} name="manage">
      <h2>
        <bdi>{session.title || s.untitled}</bdi>
      </h2>
      <p class="muted">
        <bdi>{session.workspace}</bdi>
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          then(state.rename(session.session_id, name));
        }}
      >
        <label>
          {s.nameLabel}
          <input type="text" value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <button type="submit" class="primary">
          {s.save}
        </button>
      </form>
      <div class="row">
        <button type="button" onClick={() => then(state.download(session, "markdown"))}>
          {s.exportMarkdown}
        </button>
        <button type="button" onClick={() => then(state.download(session, "json"))}>
          {s.exportJson}
        </button>
      </div>
      <div class="row">
        <button
          type="button"
          class="danger"
          onClick={() => (isSure ? then(state.remove(session.session_id)) : setSure(true))}
        >
          {isSure ? s.removeSure : s.remove}
        </button>
        <button type="button" onClick={close}>
          {s.close}
        </button>
      </div>
    </Dialog>
  );
}
