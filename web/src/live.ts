// What the server says of something beside the events, asked for again and again while it is looked at.

import { useEffect, useRef, useState } from "preact/hooks";
import { Refused } from "./api";
import type { Fault } from "./events";
import * as state from "./state";

export interface Live<T> {
  value?: T;
  /** Why the last question was not answered. */
  fault?: Fault;
  /** Asks now. */
  again: () => void;
}

/** How long a change has to stand before it is asked for: changes come together. */
const SETTLE_MS = 250;

/** Asks now, every so often, and soon after each change of `moment`. */
export function useLive<T>(load: () => Promise<T>, everyMs: number, moment: unknown): Live<T> {
  const [told, setTold] = useState<{ value?: T; fault?: Fault }>({});
  const asked = useRef(0);
  const shown = useRef(0);
  const again = () => {
    const own = (asked.current += 1);
    // A late answer does not take the place of a newer one.
    const show = (next: (before: { value?: T }) => { value?: T; fault?: Fault }) => {
      if (own <= shown.current) return;
      shown.current = own;
      setTold(next);
    };
    load().then(
      (value) => show(() => ({ value })),
      (error: unknown) => show((before) => ({ ...before, fault: why(error) })),
    );
  };
  const newest = useRef(again);
  newest.current = again;
  useEffect(() => {
    const look = () => {
      if (!document.hidden && !state.loggedOut.value) newest.current();
    };
    const timer = setInterval(look, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  useEffect(
    () => () => {
      // Nothing that comes once it is gone is shown.
      shown.current = Number.POSITIVE_INFINITY;
    },
    [],
  );
  useEffect(() => {
    if (asked.current === 0) {
      newest.current();
      return undefined;
    }
    const timer = setTimeout(() => newest.current(), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [moment]);
  return { ...told, again };
}

/** Why something was not told. */
export function why(error: unknown): Fault {
  if (!(error instanceof Refused)) return { code: "page", message: String(error) };
  if (error.status === 401) state.loggedOut.value = true;
  return error.fault;
}
