// A session's requests: those near to what is looked at are drawn, and the others keep their room. What was
// not read yet is read as soon as it is near.

import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Branches } from "./branches";
import { Heights, drawn, rowAt } from "./drawn";
import { Icon } from "./icons";
import * as state from "./state";
import { s } from "./strings";
import { TurnView } from "./turn";
import type { Turn } from "./view";

/** How high a request is taken to be before one was drawn. */
const USUAL_PX = 300;
/** How far beyond what is seen requests are drawn. */
const BEYOND_PX = 1_200;
/** How near to the end counts as being there. */
const NEAR_PX = 80;

/** The request at the top of what is seen, and how far below that it begins; none: the end is looked at. */
type Place = { id: string; offset: number } | undefined;

export function Conversation(): VNode {
  const log = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const known = useRef(new Heights());
  const [place, setPlace] = useState<Place>(undefined);
  const [, lookAgain] = useReducer((count: number) => count + 1, 0);
  const { turns } = state.view.value;
  const heights = known.current.of(
    turns.map((turn) => turn.id),
    USUAL_PX,
  );
  const { from, to, before, after } = around(turns, heights, place, log.current?.clientHeight ?? 0);

  useLayoutEffect(() => {
    if (log.current === null || list.current === null) return;
    measure(list.current, known.current);
    settle(log.current, place);
    if (from === 0 && log.current.scrollTop < BEYOND_PX) void state.lookEarlier();
  });
  useEffect(() => {
    const observer = new ResizeObserver(() => lookAgain(undefined));
    for (const one of [log.current, list.current]) if (one !== null) observer.observe(one);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const turn = soughtIn(turns);
    if (turn !== undefined) setPlace({ id: turn.id, offset: 0 });
  });
  const scrolled = (log: HTMLElement) => {
    const next = isNearEnd(log) ? undefined : seen(log, turns, heights);
    if (next?.id !== place?.id || next?.offset !== place?.offset) setPlace(next);
  };
  const partings = partingsAt(turns, state.parts.value);
  const first = state.earlier.value === undefined ? turns[0] : undefined;
  return (
    <div class="log-frame">
      <div
        class="log"
        ref={log}
        tabIndex={0}
        role="region"
        aria-label={s.conversation}
        onScroll={(event) => scrolled(event.currentTarget)}
      >
        <div class="column">
          {state.earlier.value !== undefined && (
            <button type="button" class="quiet" onClick={() => void state.lookEarlier()}>
              {s.earlierRequests}
            </button>
          )}
          <div class="turns" ref={list} style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}>
            {turns.slice(from, to).map((turn, at) => (
              <TurnView
                key={turn.id}
                turn={turn}
                before={turn === first ? 0 : endBefore(turn, turns[from + at - 1])}
                parts={partings.get(turn.id)}
              />
            ))}
          </div>
        </div>
      </div>
      {place !== undefined && (
        <button
          type="button"
          class="round to-end"
          aria-label={s.toBottom}
          title={s.toBottom}
          onClick={() => setPlace(undefined)}
        >
          <Icon name="down" />
        </button>
      )}
    </div>
  );
}

/** The requests that are drawn around a place. */
function around(turns: Turn[], heights: number[], place: Place, seen: number) {
  const at = turns.findIndex((turn) => turn.id === place?.id);
  const sum = (until: number) => heights.slice(0, until).reduce((sum, height) => sum + height, 0);
  const top = at < 0 || place === undefined ? sum(heights.length) - seen : sum(at) - place.offset;
  return drawn(heights, top - BEYOND_PX, top + seen + BEYOND_PX);
}

/** Remembers how high the requests are that are drawn, each with the gap behind it. */
function measure(list: HTMLElement, known: Heights): void {
  const rows = [...list.children] as HTMLElement[];
  const gap = Number.parseFloat(getComputedStyle(list).rowGap) || 0;
  rows.forEach((row, at) => {
    const next = rows[at + 1];
    const height = next === undefined ? row.offsetHeight + gap : next.offsetTop - row.offsetTop;
    known.set(row.dataset["turn"] ?? "", height);
  });
}

function row(log: HTMLElement, id: string): HTMLElement | null {
  return log.querySelector(`[data-turn="${CSS.escape(id)}"]`);
}

/** Leaves at its place what is looked at, whatever came or grew above it. */
function settle(log: HTMLElement, place: Place): void {
  const shown = place === undefined ? null : row(log, place.id);
  const wanted =
    shown === null || place === undefined
      ? log.scrollHeight - log.clientHeight
      : log.scrollTop + below(log, shown) - place.offset;
  if (Math.abs(log.scrollTop - wanted) >= 1) log.scrollTop = wanted;
}

/** How far below the top of what is seen something begins. */
function below(log: HTMLElement, what: HTMLElement): number {
  return what.getBoundingClientRect().top - log.getBoundingClientRect().top;
}

/** The request at the top of what is seen; where none is drawn there, by what is known of the others. */
function seen(log: HTMLElement, turns: Turn[], heights: number[]): Place {
  const rows = [...log.querySelectorAll<HTMLElement>("[data-turn]")];
  const top = rows.find((row) => below(log, row) + row.offsetHeight > 0);
  const last = rows.at(-1);
  const isDrawn = top !== undefined && below(log, top) <= log.clientHeight;
  if (isDrawn && last !== undefined) return { id: top.dataset["turn"] ?? "", offset: below(log, top) };
  const list = log.querySelector<HTMLElement>(".turns");
  const { at, offset } = rowAt(heights, list === null ? 0 : -below(log, list));
  const turn = turns[at];
  return turn && { id: turn.id, offset };
}

function isNearEnd(log: HTMLElement): boolean {
  return log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_PX;
}

/** The event that a copy ends with in which a request is another one. */
function endBefore(turn: Turn, previous: Turn | undefined): number {
  const end = previous?.endSeq;
  return end !== undefined && end < turn.seq ? end : turn.seq - 1;
}

/** The request behind the event that is sought, once it is read. */
function soughtIn(turns: Turn[]): Turn | undefined {
  const sought = state.sought.value;
  if (sought === undefined || turns.length === 0) return undefined;
  const isRead = state.earlier.value === undefined || turns.some((turn) => turn.seq <= sought);
  if (!isRead) {
    void state.lookEarlier();
    return undefined;
  }
  state.sought.value = undefined;
  return turns.find((turn) => turn.seq > sought);
}

/** Where branches part, by the request that is the first of each. */
function partingsAt(turns: Turn[], parts: Branches[]): Map<string, Branches> {
  const found = new Map<string, Branches>();
  for (const part of parts) {
    const at = turns.findIndex((turn) => turn.seq > part.at);
    const turn = turns[at];
    // Of requests that were not read the place is not known.
    const isSure = at > 0 || state.earlier.value === undefined;
    if (turn !== undefined && isSure) found.set(turn.id, part);
  }
  return found;
}
