// Where a session and its copies part: a pure function from the list of sessions.

import type { Listed } from "./events";

/** Sessions that are one up to an event, and go on each for itself. */
export interface Branches {
  /** The last event that they share. */
  at: number;
  /** By the time they were made; the first is the one that the others are copies of. */
  sessions: string[];
  /** Which of them the session that is shown comes from. */
  own: number;
}

interface Group {
  at: number;
  root: string;
  copies: Listed[];
}

/** The branches on the way of a session, by the event where they part. */
export function branches(all: Listed[], current: string): Branches[] {
  const known = new Map(all.map((one) => [one.session_id, one]));
  const groups = grouped(all, known);
  const found: Branches[] = [];
  const seen = new Set<string>();
  let [id, until] = [current, Number.POSITIVE_INFINITY];
  while (!seen.has(id)) {
    seen.add(id);
    for (const { at, root, copies } of groups) {
      const sessions = copies.map((one) => one.session_id);
      if (known.has(root)) sessions.unshift(root);
      const own = sessions.indexOf(id);
      if (at < until && own >= 0 && sessions.length > 1) found.push({ at, sessions, own });
    }
    // What it shares with the session that it is a copy of parts where that one does.
    const origin = known.get(id)?.forked_from;
    if (origin == null) break;
    [id, until] = [origin.session_id, Math.min(until, origin.at_seq)];
  }
  return found.sort((one, other) => one.at - other.at);
}

/** Copies by where they part from what. */
function grouped(all: Listed[], known: Map<string, Listed>): Group[] {
  const groups = new Map<string, Group>();
  // A copy has the time of the first; ids begin with the time at which each was made.
  const oldest = all.toSorted((one, other) => (one.session_id < other.session_id ? -1 : 1));
  for (const one of oldest.filter((one) => one.forked_from != null)) {
    const at = one.forked_from?.at_seq ?? 0;
    const root = rootOf(one, at, known);
    const key = `${root} ${at}`;
    const group = groups.get(key) ?? { at, root, copies: [] };
    group.copies.push(one);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The session whose own event it is: a copy of a copy may have it from further back. */
function rootOf(one: Listed, at: number, known: Map<string, Listed>): string {
  const seen = new Set([one.session_id]);
  let root = one.forked_from?.session_id ?? one.session_id;
  for (;;) {
    const origin = known.get(root)?.forked_from;
    if (origin == null || origin.at_seq < at || seen.has(root)) return root;
    seen.add(root);
    root = origin.session_id;
  }
}
