// What grades, ratings and comparisons of all sessions come to: figures with the ranges that hold them. What a
// judge's word is worth stands first.

import type { VNode } from "preact";
import type { Group, Interval, Report, Wins } from "../events";
import { ago, s } from "../strings";

export function Measures({ report }: { report: Report }): VNode {
  const { by_model: models, by_task: tasks, pairings } = report;
  const isEmpty = models.length === 0 && pairings.length === 0;
  return (
    <>
      <Judges report={report} />
      {isEmpty && <p class="nothing">{s.noGrades}</p>}
      <Groups title={s.byModel} groups={models} name={(one) => one.name} />
      <Groups title={s.byTask} groups={tasks} name={(one) => s.tasks[one.name] ?? one.name} />
      {pairings.length > 0 && (
        <section aria-labelledby="pairings">
          <h2 id="pairings">{s.secondAnswers}</h2>
          {pairings.map((one) => (
            <div key={`${one.first} ${one.second}`} class="measure">
              <p>
                <bdi class="tool">{one.second}</bdi> {s.inPlaceOf} <bdi class="tool">{one.first}</bdi>
              </p>
              <Won who={s.judges} wins={one.judged} />
              <Won who={s.yourWord} wins={one.chosen} />
            </div>
          ))}
        </section>
      )}
    </>
  );
}

function Judges({ report }: { report: Report }): VNode | null {
  const { judges, attacks, agreement, unmeasured, own } = report;
  if (judges.length + attacks.length + agreement.length + unmeasured.length === 0) return null;
  return (
    <section aria-labelledby="judges">
      <h2 id="judges">{s.judgesWorth}</h2>
      {judges.map((one) => (
        <div key={one.judge} class="measure">
          <p>
            <bdi class="tool">{one.judge}</bdi>{" "}
            <span class="muted">
              {s.measuredOn(one.pairs)} · {ago(one.time)}
            </span>
          </p>
          <Share label={s.sameInBoth} share={one.consistent} />
          <Share label={s.rightThen} share={one.accuracy} />
          <Share label={s.rightLonger} share={one.longer} />
          <Share label={s.rightShorter} share={one.shorter} />
          <Share label={s.saysAgain} share={one.repeated} />
          {one.biased && <p class="note">{s.biased}</p>}
        </div>
      ))}
      {attacks.map((one) => (
        <div key={one.judge} class="measure">
          <p>
            <bdi class="tool">{one.judge}</bdi>{" "}
            <span class="muted">
              {s.attackedWith(one.texts)} · {ago(one.time)}
            </span>
          </p>
          <Share label={s.raised} share={one.raised} />
          {one.moved !== null && (
            <Range label={s.moved} {...figure(one.moved, 1)} least={-4} most={4} interval={one.moved} />
          )}
        </div>
      ))}
      {agreement.map((one) => (
        <div key={one.judge} class="measure">
          <p>
            <bdi class="tool">{one.judge}</bdi>
          </p>
          <Share label={s.saysAsYou(one.answers)} share={one.alike} />
          {one.kappa !== null && <p class="muted">{s.kappa(one.kappa.toFixed(2))}</p>}
        </div>
      ))}
      {own.map((one) => (
        <div key={one.judge} class="measure">
          <p>
            <bdi class="tool">{one.judge}</bdi> {s.ownBetter}
          </p>
          <Share label={s.judges} share={one.judged} />
          <Share label={s.yourWord} share={one.chosen} />
        </div>
      ))}
      {unmeasured.map((judge) => (
        <p key={judge} class="muted">
          <bdi>{judge}</bdi> {s.unmeasured}
        </p>
      ))}
    </section>
  );
}

function Groups(props: { title: string; groups: Group[]; name: (one: Group) => string }): VNode | null {
  const { title, groups, name } = props;
  if (groups.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {groups.map((one) => (
        <div key={one.name} class="measure">
          <p>
            <bdi class="tool">{name(one)}</bdi> <span class="muted">{s.answerCount(one.answers)}</span>
          </p>
          {one.mean !== null && <Range label={s.meanGrade} {...figure(one.mean, 1)} least={1} most={5} interval={one.mean} />}
          {one.grades !== null && <Counts counts={one.grades} />}
          {one.good + one.neutral + one.bad > 0 && (
            <p class="muted">{s.ratings(one.good, one.neutral, one.bad)}</p>
          )}
        </div>
      ))}
    </section>
  );
}

/** How many answers have each of the grades 1 to 5. */
function Counts({ counts }: { counts: number[] }): VNode {
  const most = Math.max(...counts, 1);
  const told = counts.map((count, at) => `${at + 1}: ${count}`).join(", ");
  return (
    <svg class="counts" viewBox="0 0 100 30" role="img" aria-label={told}>
      {counts.map((count, at) => {
        const height = (20 * count) / most;
        return (
          <g key={at}>
            <rect x={at * 20 + 2} y={20 - height} width={16} height={height} />
            <text x={at * 20 + 10} y={28} text-anchor="middle">
              {at + 1}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

function Won({ who, wins }: { who: string; wins: Wins }): VNode | null {
  const { first, second, ties, second_share: share } = wins;
  if (first + second + ties === 0) return null;
  return <Share label={`${who}: ${s.won(second, first + second, ties)}`} share={share} />;
}

function Share({ label, share }: { label: string; share: Interval | null }): VNode {
  if (share === null) return <p class="muted">{label}</p>;
  const percent = { value: share.value * 100, low: share.low * 100, high: share.high * 100 };
  return <Range label={label} {...figure(percent, 0, " %")} least={0} most={100} interval={percent} />;
}

function figure({ value, low, high }: Interval, digits: number, unit = ""): { told: string } {
  const part = (number: number) => number.toFixed(digits);
  return { told: `${part(value)}${unit} (${s.range(part(low), `${part(high)}${unit}`)})` };
}

/** A figure as a mark on a line, with its range as a bar. */
function Range(props: { label: string; told: string; least: number; most: number; interval: Interval }): VNode {
  const { label, told, least, most, interval } = props;
  const at = (number: number) => (100 * (number - least)) / (most - least);
  const [low, high] = [at(interval.low), at(interval.high)];
  return (
    <div class="range">
      <span>{label}</span> <span class="muted">{told}</span>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" x={0} y={2} width={100} height={2} />
        <rect class="span" x={low} y={1} width={Math.max(high - low, 0.5)} height={4} />
        <rect class="mark" x={Math.max(at(interval.value) - 0.6, 0)} y={0} width={1.2} height={6} />
      </svg>
    </div>
  );
}
