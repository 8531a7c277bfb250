// The frame of the page: sessions at the side, one conversation beside them.

import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { take } from "./attachments";
import { Composer } from "./composer";
import { ContextPanel } from "./context";
import { Conversation } from "./conversation";
import { Icon } from "./icons";
import { EntryDialog } from "./entry";
import { Manage } from "./manage";
import { Palette } from "./palette";
import { Panel, covers } from "./panel";
import { Questions } from "./question";
import { Sidebar } from "./sidebar";
import * as state from "./state";
import { s } from "./strings";

export function App(): VNode {
  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        state.paletteOpen.value = !state.paletteOpen.value;
      } else if (event.key === "Escape" && state.sidebarOpen.value) {
        state.sidebarOpen.value = false;
      }
    };
    window.addEventListener("keydown", keys);
    return () => window.removeEventListener("keydown", keys);
  }, []);
  const isStrange = state.loggedOut.value && state.view.value.seq === 0;
  return (
    <>
      <p class="unseen" role="status" aria-live="polite">
        {state.announced}
      </p>
      {isStrange ? (
        <main class="gate">
          <LoggedOut heading="h1" />
        </main>
      ) : (
        <Page />
      )}
    </>
  );
}

function Page(): VNode {
  const title = state.session.value?.title || s.untitled;
  const isCovered = state.panel.value !== undefined && covers.value;
  useEffect(() => {
    const waits = state.open.value.length > 0 ? "● " : "";
    document.title = `${waits}${title} – Housecarl`;
  }, [title, state.open.value.length]);
  return (
    <div class={frameClass()} onDragOver={dragged} onDrop={dropped}>
      <a class="skip" href="#message" onClick={toMessage}>
        {s.skip}
      </a>
      <div class="beside" inert={isCovered}>
        <Sidebar />
      </div>
      {state.sidebarOpen.value && (
        <button
          type="button"
          class="veil"
          aria-label={s.closeSessions}
          onClick={() => (state.sidebarOpen.value = false)}
        />
      )}
      <main class="main" inert={state.sidebarOpen.value || isCovered}>
        <Head title={title} />
        {state.loggedOut.value && <LoggedOut heading="h2" />}
        {state.current.value === undefined ? <Welcome /> : <Conversation key={state.current.value} />}
        <div class="foot">
          <Trouble />
          <Questions />
          <Composer />
        </div>
      </main>
      <Panel />
      <Palette />
      <Manage />
      <EntryDialog />
      <ContextPanel />
    </div>
  );
}

function frameClass(): string {
  const side = state.sidebarOpen.value ? " side-open" : "";
  return `frame${side}${state.panel.value === undefined ? "" : " panel-open"}`;
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

/** Files may be dropped anywhere: a page that does not take them is left for the file. */
function dragged(event: DragEvent): void {
  if (hasFiles(event)) event.preventDefault();
}

function dropped(event: DragEvent): void {
  if (!hasFiles(event)) return;
  event.preventDefault();
  void take([...(event.dataTransfer?.files ?? [])]);
}

function toMessage(event: Event): void {
  event.preventDefault();
  document.getElementById("message")?.focus();
}

function Head({ title }: { title: string }): VNode {
  const session = state.session.value;
  const model = state.view.value.turns.findLast((turn) => turn.model !== undefined)?.model;
  const profile = state.view.value.profile;
  const about = [profile?.agent_type, profile?.mode, model].filter((one) => one).join(" · ");
  return (
    <header class="head">
      <button
        type="button"
        class="icon only-narrow"
        aria-label={s.openSessions}
        aria-expanded={state.sidebarOpen.value}
        onClick={() => (state.sidebarOpen.value = true)}
      >
        <Icon name="menu" />
      </button>
      <div class="title">
        <h1>
          <bdi>{state.current.value === undefined ? "Housecarl" : title}</bdi>
        </h1>
        {about !== "" && <p>{about}</p>}
      </div>
      <button
        type="button"
        class="icon"
        aria-label={s.palette}
        title={`${s.palette} (Ctrl+K)`}
        onClick={() => (state.paletteOpen.value = true)}
      >
        <Icon name="search" />
      </button>
      {session !== undefined && (
        <button
          type="button"
          class="icon only-wide"
          aria-label={s.context}
          title={s.context}
          onClick={() => void state.lookAtContext()}
        >
          <Icon name="layers" />
        </button>
      )}
      <button
        type="button"
        class="icon"
        aria-label={s.panel}
        aria-expanded={state.panel.value !== undefined}
        title={s.panel}
        onClick={() => (state.panel.value === undefined ? state.openPanel("agents") : state.closePanel())}
      >
        <Icon name="panel" />
      </button>
      {session !== undefined && (
        <button
          type="button"
          class="icon"
          aria-label={s.manage}
          title={s.manage}
          onClick={() => (state.managed.value = session)}
        >
          <Icon name="more" />
        </button>
      )}
    </header>
  );
}

function Welcome(): VNode {
  return (
    <div class="welcome">
      <h2>{s.welcome}</h2>
      <p>{s.welcomeText}</p>
    </div>
  );
}

function LoggedOut({ heading: Heading }: { heading: "h1" | "h2" }): VNode {
  return (
    <div class="card logged-out" role="alert">
      <Heading>{state.loginFailed.value ? s.loginWrong : s.loggedOut}</Heading>
      <p>{s.loggedOutHow}</p>
      <pre tabIndex={0}>
        <code>carl web</code>
      </pre>
      {state.view.value.seq > 0 && <p>{s.loggedOutBack}</p>}
    </div>
  );
}

function Trouble(): VNode | null {
  const problem = state.problem.value;
  const stream = state.current.value === undefined ? "open" : state.stream.value;
  if (problem !== undefined) {
    return (
      <div class="trouble" role="alert">
        <p>
          {problem.message} {problem.hint}
        </p>
        <button
          type="button"
          class="icon"
          aria-label={s.close}
          onClick={() => (state.problem.value = undefined)}
        >
          <Icon name="close" />
        </button>
      </div>
    );
  }
  if (stream === "waiting") {
    return (
      <div class="trouble soft" role="status">
        <p>{s.reconnecting}</p>
      </div>
    );
  }
  if (stream === "gone") {
    return (
      <div class="trouble" role="alert">
        <p>{s.gone}</p>
      </div>
    );
  }
  return null;
}
