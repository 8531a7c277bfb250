// Who works in the session: a tree with task, state, budget and report, and when each worked.

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { gist } from "../fence";
import * as state from "../state";
import { count, s, span } from "../strings";
import { type Worker, below } from "../workers";

const TICK_MS = 1_000;

export function AgentsPanel(): VNode {
  const all = state.view.value.workers;
  const [now, setNow] = useState(Date.now);
  const isWorking = all.some((one) => one.state === "working");
  useEffect(() => {
    if (!isWorking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isWorking]);
  const root = all.find((one) => one.id === "");
  if (root === undefined || root.spans.length === 0) return <p class="nothing">{s.noAgents}</p>;
  const line = frame(all, Math.max(now, Date.now()));
  return (
    <ul class="workers">
      <Branch all={all} one={root} line={line} />
    </ul>
  );
}

/** From when to when anybody worked, milliseconds. */
interface Line {
  from: number;
  to: number;
}

function frame(all: Worker[], now: number): Line {
  const spans = all.flatMap((one) => one.spans);
  const from = Math.min(...spans.map((one) => Date.parse(one.from)));
  const to = Math.max(...spans.map((one) => (one.to === undefined ? now : Date.parse(one.to))));
  return { from, to: Math.max(to, from + 1) };
}

function Branch({ all, one, line }: { all: Worker[]; one: Worker; line: Line }): VNode {
  const own = below(all, one.id === "" ? undefined : one.id);
  return (
    <li>
      <Entry one={one} line={line} />
      {own.length > 0 && (
        <ul>
          {own.map((child) => (
            <Branch key={child.id} all={all} one={child} line={line} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Entry({ one, line }: { one: Worker; line: Line }): VNode {
  const { report } = one;
  const how = report?.status ?? one.state;
  const tools = one.open.map((call) => call.tool).join(", ");
  return (
    <details class={`fold worker ${how}`} open={one.state === "working"}>
      <summary>
        <span class="dot" aria-hidden="true" />
        <bdi class="tool">{one.type}</bdi>
        {one.id !== "" && <span class="muted">…{one.id.slice(-8)}</span>}
        <span class="badge">{s.workerStates[how] ?? how}</span>
        {tools !== "" && (
          <span class="muted">
            {s.worksOn} <bdi>{tools}</bdi>
          </span>
        )}
      </summary>
      <Lane one={one} line={line} />
      <p class="muted">{used(one)}</p>
      {one.budget !== undefined && one.budget > 0 && (
        <meter aria-label={s.budget} min={0} max={one.budget} value={Math.min(one.tokens, one.budget)} />
      )}
      {one.task !== "" && (
        <>
          <h3>{s.task}</h3>
          <p class="told">
            <bdi>{gist(one.task)}</bdi>
          </p>
        </>
      )}
      {report !== undefined && (
        <>
          <h3>
            {s.report} · {s.quality[report.quality] ?? report.quality}
          </h3>
          <p class="told">
            <bdi>{report.summary}</bdi>
          </p>
          {report.failure !== undefined && (
            <p class="told">
              <bdi>{report.failure}</bdi>
            </p>
          )}
          {report.artifacts.length > 0 && (
            <p class="told">
              {s.files}: <bdi>{report.artifacts.join(", ")}</bdi>
            </p>
          )}
        </>
      )}
      {one.corrections.map((text, at) => (
        <p key={at} class="told">
          {s.corrected}: <bdi>{text}</bdi>
        </p>
      ))}
    </details>
  );
}

function used(one: Worker): string {
  const calls = s.callCount(one.calls);
  const tokens =
    one.budget === undefined ? s.tokens(count(one.tokens)) : s.contextTokens(count(one.tokens), count(one.budget));
  return `${calls} · ${tokens} · ${span(worked(one))}`;
}

function worked(one: Worker): number {
  const ends = (to?: string) => (to === undefined ? Date.now() : Date.parse(to));
  return one.spans.reduce((sum, part) => sum + Math.max(ends(part.to) - Date.parse(part.from), 0), 0);
}

/** When it worked, beside the others. What it says stands in words below. */
function Lane({ one, line }: { one: Worker; line: Line }): VNode {
  const share = (ms: number) => (100 * ms) / (line.to - line.from);
  return (
    <div class="lane" aria-hidden="true">
      {one.spans.map((part, at) => {
        const from = Date.parse(part.from);
        const to = part.to === undefined ? line.to : Date.parse(part.to);
        const left = Math.min(share(from - line.from), 99);
        const width = Math.max(Math.min(share(to - from), 100 - left), 1);
        return <span key={at} style={{ left: `${left}%`, width: `${width}%` }} />;
      })}
    </div>
  );
}
