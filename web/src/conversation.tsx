// A session's requests and everything that came of them.

import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "./icons";
import { ItemView } from "./items";
import * as state from "./state";
import { ago, s, span } from "./strings";
import type { Turn } from "./view";

/** Requests that are drawn at first, and how many more at a time. */
const AT_FIRST = 40;
const MORE = 200;
/** How near to the end counts as being there. */
const NEAR_PX = 80;

export function Conversation(): VNode {
  const log = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState(AT_FIRST);
  const [isAtEnd, setAtEnd] = useState(true);
  const { turns } = state.view.value;
  const hidden = Math.max(turns.length - drawn, 0);
  useEffect(() => {
    setDrawn(AT_FIRST);
    setAtEnd(true);
  }, [state.current.value]);
  useLayoutEffect(() => {
    if (isAtEnd) toEnd(log.current);
  });
  return (
    <div class="log-frame">
      <div
        class="log"
        ref={log}
        tabIndex={0}
        role="region"
        aria-label={s.sessions}
        onScroll={(event) => setAtEnd(isNearEnd(event.currentTarget))}
      >
        <div class="column">
          {hidden > 0 && (
            <button type="button" class="quiet" onClick={() => setDrawn(drawn + MORE)}>
              {s.earlier(Math.min(hidden, MORE))}
            </button>
          )}
          {turns.slice(hidden).map((turn) => (
            <TurnView key={turn.id} turn={turn} before={turn === turns[0] ? 0 : turn.seq - 1} />
          ))}
        </div>
      </div>
      {!isAtEnd && (
        <button
          type="button"
          class="round to-end"
          aria-label={s.toBottom}
          title={s.toBottom}
          onClick={() => toEnd(log.current)}
        >
          <Icon name="down" />
        </button>
      )}
    </div>
  );
}

function toEnd(log: HTMLElement | null): void {
  if (log !== null) log.scrollTop = log.scrollHeight;
}

function isNearEnd(log: HTMLElement): boolean {
  return log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_PX;
}

/** One request, and the last event before it, 0 for none. It is drawn anew only when something of it changed. */
function TurnView({ turn, before }: { turn: Turn; before: number }): VNode {
  return useMemo(() => <Drawn turn={turn} before={before} />, [turn, before]);
}

function Drawn({ turn, before }: { turn: Turn; before: number }): VNode {
  const isOver = turn.endSeq !== undefined;
  const { error } = turn;
  const isTold = turn.items.some(
    (item) => item.kind === "note" && item.fault.message === error?.message,
  );
  return (
    <article class="turn" data-state={turn.state}>
      <header class="said">
        <h2>
          {turn.byUser ? s.you : s.drive} <time dateTime={turn.time}>{ago(turn.time)}</time>
        </h2>
        <p class="words">
          <bdi>{turn.text}</bdi>
        </p>
        <div class="acts">
          <button
            type="button"
            class="icon"
            aria-label={s.editInCopy}
            title={s.editInCopy}
            onClick={() => void state.copyAt(before, turn.text)}
          >
            <Icon name="edit" />
          </button>
          {turn.endSeq !== undefined && (
            <button
              type="button"
              class="icon"
              aria-label={s.forkHere}
              title={s.forkHere}
              onClick={() => void state.copyAt(turn.endSeq ?? 0, "")}
            >
              <Icon name="fork" />
            </button>
          )}
        </div>
      </header>
      {turn.items.map((item) => (
        <ItemView key={item.key} item={item} />
      ))}
      {error !== undefined && !isTold && (
        <div class="note error">
          <p>{error.message}</p>
          {error.hint && <p class="muted">{error.hint}</p>}
        </div>
      )}
      <p class="end">
        {isOver ? <Ended turn={turn} /> : <Working turn={turn} />}
      </p>
    </article>
  );
}

function Ended({ turn }: { turn: Turn }): VNode {
  const files = turn.artifacts.length > 0 && (
    <span>
      {s.files}: <bdi>{turn.artifacts.map(short).join(", ")}</bdi>
    </span>
  );
  return (
    <>
      <span class={`state ${turn.state}`}>{s.finished[turn.state as "success"]}</span>
      {turn.durationMs !== undefined && <span>{span(turn.durationMs)}</span>}
      {files}
    </>
  );
}

/** A path from the session's folder on. */
function short(path: string): string {
  const folder = `${state.session.value?.workspace ?? ""}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}

function Working({ turn }: { turn: Turn }): VNode {
  if (turn.state === "queued") return <span>{s.queued}</span>;
  const reading = turn.reading;
  const share = reading && Math.round((100 * reading.read) / Math.max(reading.total, 1));
  return (
    <>
      <span class="pulse" aria-hidden="true" />
      <span>{share === undefined ? s.working : s.reading(share)}</span>
    </>
  );
}
