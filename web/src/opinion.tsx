// What an answer is worth, below it: the judge's grade, and two keys for the user's own word.

import type { VNode } from "preact";
import { Icon } from "./icons";
import * as state from "./state";
import { s } from "./strings";
import type { Turn } from "./view";

/** The ratings of a thumb, as the server counts them. */
const GOOD = 100;
const BAD = -100;

export function Opinion({ turn }: { turn: Turn }): VNode {
  const { grade, rating = 0 } = turn.quality;
  const rate = (name: string, icon: "good" | "bad", score: number) => (
    <button
      type="button"
      class="icon"
      aria-label={name}
      title={name}
      aria-pressed={rating !== 0 && rating > 0 === score > 0}
      onClick={() => void state.rate(turn.id, score)}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <span class="opinion">
      {grade !== undefined && <Grade score={grade.score} />}
      {rate(s.rateGood, "good", GOOD)}
      {rate(s.rateBad, "bad", BAD)}
    </span>
  );
}

/** A grade from 1 to 5 in its colour. */
export function Grade({ score }: { score: number }): VNode {
  const colour = score >= 4 ? "allow" : score === 3 ? "confirm" : "deny";
  return <span class={`badge grade ${colour}`}>{s.graded(score)}</span>;
}
