// One request and everything that came of it.

import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { Branches } from "./branches";
import { Icon } from "./icons";
import { ItemView } from "./items";
import { Opinion } from "./opinion";
import * as state from "./state";
import { ago, s, span } from "./strings";
import type { Turn } from "./view";

interface Shown {
  turn: Turn;
  /** The last event before it, 0 for none. */
  before: number;
  /** Where it is the first of a branch: the others. */
  parts?: Branches | undefined;
}

/** One request. It is drawn anew only when something of it changed. */
export function TurnView({ turn, before, parts }: Shown): VNode {
  const key = parts === undefined ? "" : `${parts.at} ${parts.own} ${parts.sessions.join(" ")}`;
  return useMemo(() => <Drawn turn={turn} before={before} parts={parts} />, [turn, before, key]);
}

function Drawn({ turn, before, parts }: Shown): VNode {
  const isOver = turn.endSeq !== undefined;
  const { error } = turn;
  const isTold = turn.items.some(
    (item) => item.kind === "note" && item.fault.message === error?.message,
  );
  return (
    <article class="turn" data-state={turn.state} data-turn={turn.id}>
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
        {parts !== undefined && <Pager parts={parts} />}
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

/** Pages through what was asked here instead, in this session and in copies of it. */
function Pager({ parts }: { parts: Branches }): VNode {
  const { own, sessions } = parts;
  const step = (name: string, icon: "back" | "chevron", to: number) => (
    <button
      type="button"
      class="icon"
      aria-label={name}
      title={name}
      disabled={to < 0 || to >= sessions.length}
      onClick={() => void state.goToBranch(parts, to)}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <div class="branches" role="group" aria-label={s.branches}>
      {step(s.branchBefore, "back", own - 1)}
      <span>
        {own + 1}/{sessions.length}
      </span>
      {step(s.branchNext, "chevron", own + 1)}
    </div>
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
      {turn.byUser && <Opinion turn={turn} />}
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
