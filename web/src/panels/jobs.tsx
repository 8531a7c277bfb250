// The programs of a session: what runs, what it says, and how it ended. One that runs can be stopped.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import * as api from "../api";
import type { Program, Said } from "../events";
import { useLive } from "../live";
import * as state from "../state";
import { clock, s, size, span } from "../strings";
import { Trouble } from "./trouble";

const RUNNING_MS = 1_000;
const IDLE_MS = 5_000;

export function JobsPanel(): VNode {
  const session = state.current.value;
  return session === undefined ? <p class="nothing">{s.noJobs}</p> : <Jobs session={session} />;
}

function Jobs({ session }: { session: string }): VNode {
  const [isRunning, setRunning] = useState(false);
  const load = async () => {
    const all = await api.programs(session);
    setRunning(all.some((one) => one.running));
    return all;
  };
  const happened = state.view.value.turns.reduce((sum, turn) => sum + turn.items.length, 0);
  const { value, fault, again } = useLive(load, isRunning ? RUNNING_MS : IDLE_MS, happened);
  const all = value?.toReversed() ?? [];
  return (
    <>
      <DriveView session={session} moment={happened} />
      <Trouble fault={fault} />
      {value !== undefined && all.length === 0 && <p class="nothing">{s.noJobs}</p>}
      {all.map((one) => (
        <Job key={one.job ?? one.call_id} session={session} one={one} again={again} />
      ))}
    </>
  );
}

/** Where the drive of a session in auto mode stands, and what it waits for. */
function DriveView({ session, moment }: { session: string; moment: number }): VNode | null {
  const { value } = useLive(() => api.drive(session), IDLE_MS, `${moment} ${state.busy.value}`);
  if (value == null) return null;
  const waits = [
    ...value.timers.map((timer) => s.waitsForTimer(clock(timer.due), timer.note)),
    ...value.watched.map((path) => s.waitsForPath(path)),
  ];
  return (
    <section class="drive" aria-labelledby="drive">
      <h2 id="drive">{s.drive}</h2>
      <p>
        <span class="badge">{s.driveStates[value.state] ?? value.state}</span> <bdi>{value.reason}</bdi>
      </p>
      {waits.length > 0 && (
        <ul>
          {waits.map((one, at) => (
            <li key={at}>
              <bdi>{one}</bdi>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Job(props: { session: string; one: Program; again: () => void }): VNode {
  const { session, one, again } = props;
  const [isOpen, setOpen] = useState(false);
  const name = one.job ?? s.aCall;
  const stop = () => void state.attempt(() => api.stopProgram(session, one)).then(again);
  return (
    <details
      class={`fold job ${one.running ? "running" : "ended"}`}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        {one.running ? <span class="pulse" aria-hidden="true" /> : <span class="dot" aria-hidden="true" />}
        <bdi class="tool">{name}</bdi>
        <bdi class="target">{one.command}</bdi>
        <span class="muted">{one.running ? s.runs(span(one.age_ms)) : <bdi>{one.ended}</bdi>}</span>
      </summary>
      {one.running && (
        <div class="row">
          <button type="button" class="danger" onClick={stop}>
            {s.stopJob(name)}
          </button>
        </div>
      )}
      <h3>{s.command}</h3>
      <pre tabIndex={0}>
        <code>{one.command}</code>
      </pre>
      {isOpen && <Output session={session} one={one} />}
    </details>
  );
}

/** All that is kept of what a program said. */
function Output({ session, one }: { session: string; one: Program }): VNode {
  const every = one.running ? RUNNING_MS : IDLE_MS * 12;
  const { value, fault } = useLive(() => api.program(session, one), every, one.running);
  const output = (value ?? one).output;
  return (
    <>
      <Trouble fault={fault} />
      {output !== null && (
        <>
          <Stream name={s.stdout} said={output.stdout} />
          <Stream name={s.stderr} said={output.stderr} />
          {output.stdout.said_bytes + output.stderr.said_bytes === 0 && <p class="muted">{s.saidNothing}</p>}
        </>
      )}
    </>
  );
}

function Stream({ name, said }: { name: string; said: Said }): VNode | null {
  if (said.said_bytes === 0) return null;
  return (
    <>
      <h3>
        {name} · {size(said.said_bytes)}
        {said.cut && ` · ${s.onlyEnd}`}
      </h3>
      <pre tabIndex={0}>
        <code>{said.text}</code>
      </pre>
    </>
  );
}
