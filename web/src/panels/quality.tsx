// How good answers are: what was said of each of this session, and what all of it comes to.

import type { VNode } from "preact";
import * as api from "../api";
import type { Report } from "../events";
import { useLive } from "../live";
import { Grade } from "../opinion";
import { type Quality, type Second, stars } from "../quality";
import * as state from "../state";
import { s } from "../strings";
import type { Turn } from "../view";
import { Measures } from "./measures";
import { Trouble } from "./trouble";

const EVERY_MS = 15_000;

export function QualityPanel(): VNode {
  const { turns } = state.view.value;
  const answered = turns.filter((turn) => turn.byUser && turn.endSeq !== undefined).reverse();
  const { value, fault } = useLive<Report>(api.quality, EVERY_MS, said(answered));
  return (
    <>
      <section aria-labelledby="answers">
        <h2 id="answers">{s.answersHere}</h2>
        {answered.length === 0 && <p class="nothing">{s.noAnswers}</p>}
        {answered.map((turn, at) => (
          <Judged key={turn.id} turn={turn} isLast={at === 0} />
        ))}
      </section>
      <Trouble fault={fault} />
      {value !== undefined && <Measures report={value} />}
    </>
  );
}

/** Another text whenever something was said of an answer. */
function said(turns: Turn[]): string {
  return turns
    .map(({ quality: { grade, rating, second } }) => [grade?.score, rating, second?.chosen, second?.compared?.winner])
    .join(" ");
}

function Judged({ turn, isLast }: { turn: Turn; isLast: boolean }): VNode {
  const { quality } = turn;
  const { grade, rating, note, second } = quality;
  return (
    <details class="fold judged" open={isLast}>
      <summary>
        <bdi class="target">{turn.text}</bdi>
        {grade !== undefined && <Grade score={grade.score} />}
        {rating !== undefined && <span class={`badge ${colour(rating)}`}>{s.rated(stars(rating))}</span>}
        {second?.answer !== undefined && <span class="badge">{s.secondAnswer}</span>}
      </summary>
      <p class="muted">
        <bdi>{turn.model ?? s.byRules}</bdi>
      </p>
      {note !== undefined && note !== "" && (
        <p>
          {s.yourNote} <bdi>{note}</bdi>
        </p>
      )}
      <Graded quality={quality} />
      {second !== undefined && <Other second={second} query={turn.id} isLast={isLast} />}
      <div class="row">
        <button type="button" disabled={quality.asked} onClick={() => void state.grade(turn.id)}>
          {s.askGrade}
        </button>
        <button type="button" disabled={second?.state === "asked"} onClick={() => void state.askSecond(turn.id)}>
          {s.askSecond}
        </button>
      </div>
    </details>
  );
}

/** What a judge said: words of a model that read the answer, which may have been written to be graded well. */
function Graded({ quality: { asked, grade, fault } }: { quality: Quality }): VNode {
  return (
    <div role="status">
      {grade !== undefined && (
        <p class="told">
          <bdi>{grade.feedback}</bdi>{" "}
          <span class="muted">
            {s.gradedBy} <bdi>{grade.judge}</bdi> ({grade.rubric})
          </span>
        </p>
      )}
      {asked && <p class="muted">{s.gradeAsked}</p>}
      {!asked && <Trouble fault={fault} />}
    </div>
  );
}

/** A second answer, and which of both is better. */
function Other({ second, query, isLast }: { second: Second; query: string; isLast: boolean }): VNode {
  const { state: at, answer, model, temperature, fault, compared, chosen, taken } = second;
  return (
    <div class="other" role="group" aria-label={s.secondAnswer}>
      {at === "asked" && <p class="muted">{s.secondAsked}</p>}
      {answer !== undefined && (
        <>
          <h3>{s.secondAnswer}</h3>
          <p class="muted">
            <bdi>{model}</bdi> · {s.temperature(temperature ?? 0)}
          </p>
          <pre tabIndex={0}>{answer}</pre>
          {compared !== undefined && (
            <p class="told">
              {s.better[compared.winner]}: <bdi>{compared.feedback}</bdi>{" "}
              <span class="muted">
                {s.gradedBy} <bdi>{compared.judge}</bdi>
              </span>
            </p>
          )}
          <div class="row">
            {(["A", "B", "tie"] as const).map((winner) => (
              <button
                key={winner}
                type="button"
                aria-pressed={chosen === winner}
                onClick={() => void state.rateSecond(query, winner)}
              >
                {s.choose[winner]}
              </button>
            ))}
            {isLast && taken !== true && (
              <button type="button" onClick={() => void state.takeSecond(query)}>
                {s.take}
              </button>
            )}
          </div>
          {taken === true && <p class="muted">{s.taken}</p>}
        </>
      )}
      {at !== "asked" && <Trouble fault={fault} />}
    </div>
  );
}

const colour = (rating: number) => (rating > 0 ? "allow" : rating < 0 ? "deny" : "confirm");
