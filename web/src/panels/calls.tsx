// Each call with what was decided about it, by which layer and rule, what was answered and by whom; below,
// what the audit log has of the session.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import * as api from "../api";
import type { AuditRecord } from "../events";
import { Call } from "../items";
import { useLive } from "../live";
import * as state from "../state";
import { clock, count, s } from "../strings";
import { calls } from "../view";
import { Trouble } from "./trouble";

/** Rows that are drawn at first, and how many more at a time. */
const ROWS = 100;
const EVERY_MS = 10_000;

export function CallsPanel(): VNode {
  const all = calls(state.view.value);
  const [drawn, setDrawn] = useState(ROWS);
  return (
    <>
      {all.length === 0 && <p class="nothing">{s.noCalls}</p>}
      {all.slice(0, drawn).map((call) => (
        <Call key={call.key} item={call} />
      ))}
      {all.length > drawn && (
        <button type="button" class="quiet" onClick={() => setDrawn(drawn + ROWS)}>
          {s.earlier(Math.min(all.length - drawn, ROWS))}
        </button>
      )}
      {state.current.value !== undefined && <Audit session={state.current.value} />}
    </>
  );
}

function Audit({ session }: { session: string }): VNode {
  const happened = state.view.value.turns.reduce((sum, turn) => sum + turn.items.length, 0);
  const moment = `${happened} ${state.busy.value}`;
  const { value, fault } = useLive(() => api.audit(session), EVERY_MS, moment);
  const [drawn, setDrawn] = useState(ROWS);
  const records = value?.records.toReversed() ?? [];
  return (
    <section class="audit" aria-labelledby="audit">
      <h2 id="audit">{s.auditLog}</h2>
      <Trouble fault={fault ?? value?.fault ?? undefined} />
      {value !== undefined && records.length === 0 && <p class="nothing">{s.noRecords}</p>}
      <ol>
        {records.slice(0, drawn).map((record) => (
          <Row key={record.sequence} record={record} />
        ))}
      </ol>
      {records.length > drawn && (
        <button type="button" class="quiet" onClick={() => setDrawn(drawn + ROWS)}>
          {s.earlier(Math.min(records.length - drawn, ROWS))}
        </button>
      )}
    </section>
  );
}

function Row({ record }: { record: AuditRecord }): VNode {
  const { verdict, layer, status, detail, model_call: model } = record;
  const parts = [
    verdict && `${s.verdict[verdict]}${layer === undefined ? "" : ` · ${layer.replaceAll("_", " ")}`}`,
    status && s.call[status],
    model && `${model.model} ${count(model.prompt_tokens)}+${count(model.completion_tokens)}`,
    detail,
    record.agent_type,
  ];
  return (
    <li>
      <p>
        <span class="muted">
          {record.sequence} <time dateTime={record.time}>{clock(record.time)}</time>
        </span>{" "}
        <span class="tool">{record.action.replaceAll("_", " ")}</span>{" "}
        {record.tool !== undefined && <bdi class="tool">{record.tool}</bdi>}
      </p>
      <p class="muted">
        <bdi>{parts.filter((part) => part).join(" · ")}</bdi>
      </p>
    </li>
  );
}
