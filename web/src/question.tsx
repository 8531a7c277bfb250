// Questions of the guard: what would be done, as the broker says it, and the answers.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Diff } from "./diff";
import type { ConfirmationRequest } from "./events";
import { Icon } from "./icons";
import * as state from "./state";
import { s } from "./strings";
import type { QuestionItem } from "./view";

/** Keys that were meant for something else do not answer a question that just came. */
const TOO_EARLY_MS = 500;

export function Questions(): VNode | null {
  const first = state.open.value[0];
  if (first === undefined) return null;
  return <Question key={first.key} item={first} more={state.open.value.length - 1} />;
}

const ANSWERS = { y: "once", s: "session", n: "deny" } as const;
type Given = (typeof ANSWERS)[keyof typeof ANSWERS];

const headings = { call: s.asks, plan: s.asksPlan, write_root: s.asks };

function Question({ item, more }: { item: QuestionItem; more: number }): VNode {
  const { request } = item;
  const card = useRef<HTMLElement>(null);
  const shown = useRef(performance.now());
  const [message, setMessage] = useState("");
  const [isSent, setSent] = useState(false);
  // The letter that Enter gives as the answer.
  const [chosen, setChosen] = useState<keyof typeof ANSWERS>();
  const [isUnread, setUnread] = useState(false);
  useEffect(() => {
    const typing = document.activeElement;
    const isTyping = typing instanceof HTMLTextAreaElement && typing.value !== "";
    // Whoever types goes on typing; the question is announced.
    if (!isTyping) card.current?.focus();
  }, []);
  const give = async (answer: Given) => {
    if (isSent) return;
    const rest = answer === "deny" ? undefined : unread(card.current);
    if (rest !== undefined) {
      setUnread(true);
      rest.focus();
      return;
    }
    setSent(true);
    const given = answer === "deny" ? { answer, message } : { answer };
    const isTaken = await state.answer(request.confirmation_id, request.binding, given);
    if (isTaken) document.getElementById("message")?.focus();
    else setSent(false);
  };
  const keys = (event: KeyboardEvent) => {
    const isField = event.target instanceof HTMLInputElement;
    const isEarly = performance.now() - shown.current < TOO_EARLY_MS;
    if (isField || isEarly || event.ctrlKey || event.metaKey || event.altKey) return;
    const letter = event.key;
    if (letter === "y" || letter === "s" || letter === "n") {
      event.preventDefault();
      if (chosen === undefined) setChosen(letter);
      else toMessage(chosen + letter);
    } else if (letter === "Enter" && chosen !== undefined && event.target === card.current) {
      event.preventDefault();
      void give(ANSWERS[chosen]);
    } else if (letter.length === 1 && letter !== " " && event.target === card.current) {
      // It is no answer, but the beginning of a message.
      event.preventDefault();
      toMessage((chosen ?? "") + letter);
    }
  };
  const toMessage = (begun: string) => {
    setChosen(undefined);
    state.setDraft(state.draft.value + begun);
    document.getElementById("message")?.focus();
  };
  return (
    <section
      ref={card}
      class="card question"
      tabIndex={-1}
      aria-labelledby="asked"
      aria-describedby="reason"
      onKeyDown={keys}
    >
      <header>
        <Icon name="shield" />
        <h2 id="asked">{headings[request.kind]}</h2>
        <span class={`badge ${request.effect}`}>{s.effects[request.effect] ?? request.effect}</span>
        {more > 0 && <span class="muted">{s.waiting(more)}</span>}
      </header>
      <div class="asked" onScrollCapture={(event) => wasRead(event.target)}>
        <p id="reason" class="reason">
          {request.reason}
        </p>
        <What request={request} />
      </div>
      {isUnread && <p role="alert">{s.unread}</p>}
      <p class="muted" aria-live="polite">
        {chosen !== undefined && s.enterAnswers(chosen)}
      </p>
      <div class="answers">
        <button type="button" class="primary" disabled={isSent} onClick={() => void give("once")}>
          {s.yes} <kbd>y</kbd>
        </button>
        <button type="button" disabled={isSent} onClick={() => void give("session")}>
          {request.kind === "write_root" ? s.yesFolder : s.yesSession} <kbd>s</kbd>
        </button>
        <form
          class="refuse"
          onSubmit={(event) => {
            event.preventDefault();
            void give("deny");
          }}
        >
          <input
            type="text"
            placeholder={s.noMessage}
            aria-label={s.noMessage}
            value={message}
            onInput={(event) => setMessage(event.currentTarget.value)}
          />
          <button type="submit" class="danger" disabled={isSent}>
            {s.no} <kbd>n</kbd>
          </button>
        </form>
      </div>
    </section>
  );
}

/** Notes that a part was scrolled to its end. */
function wasRead(part: EventTarget | null): void {
  if (part instanceof HTMLElement && part.scrollTop + part.clientHeight >= part.scrollHeight - 4) {
    part.dataset["read"] = "";
  }
}

/** The first part of a question whose end nobody has seen. */
function unread(card: HTMLElement | null): HTMLElement | undefined {
  const parts = [...(card?.querySelectorAll<HTMLElement>(".asked, .asked *") ?? [])];
  const isCut = (part: HTMLElement) =>
    part.scrollHeight > part.clientHeight + 4 && ["auto", "scroll"].includes(getComputedStyle(part).overflowY);
  return parts.find((part) => part.dataset["read"] === undefined && isCut(part));
}

/** What would be done. All of it can be read, and what changes comes first. */
export function What({ request }: { request: ConfirmationRequest }): VNode {
  const steps = request.steps ?? [];
  const hasChange = request.diff !== undefined;
  const [first = "", ...rest] = request.rendering.split("\n");
  return (
    <>
      <p class="headline">
        <bdi>{first}</bdi>
      </p>
      {hasChange && <Diff text={request.diff ?? ""} label={s.change} />}
      {(rest.length > 0 || !hasChange) && (
        <details open={!hasChange}>
          <summary>{s.everything}</summary>
          <pre tabIndex={0}>
            <code>{request.rendering}</code>
          </pre>
        </details>
      )}
      {steps.map((step) => (
        <details key={step.step} open>
          <summary>{s.step(step.step + 1)}</summary>
          <Diff text={step.diff} label={s.step(step.step + 1)} />
        </details>
      ))}
    </>
  );
}
