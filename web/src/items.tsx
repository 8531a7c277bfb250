// What comes of a request, piece by piece.

import type { VNode } from "preact";
import { body } from "./fence";
import { Icon } from "./icons";
import { Markdown } from "./markdown";
import { What } from "./question";
import { s, span } from "./strings";
import type {
  AgentItem,
  CallItem,
  GivenItem,
  Item,
  NoteItem,
  PlanItem,
  QuestionItem,
  RecallItem,
  TextItem,
} from "./view";

export function ItemView({ item }: { item: Item }): VNode | null {
  switch (item.kind) {
    case "text":
      return <Said item={item} />;
    case "thinking":
      return <Thinking item={item} />;
    case "call":
      return <Call item={item} />;
    case "question":
      return <Asked item={item} />;
    case "plan":
      return <Plan item={item} />;
    case "note":
      return <Note item={item} />;
    case "agent":
      return <Agent item={item} />;
    case "recall":
      return <Recall item={item} />;
    case "given":
      return <Given item={item} />;
  }
}

function Said({ item: { text, verbatim, taken } }: { item: TextItem }): VNode {
  return (
    <>
      {taken && <p class="muted">{s.taken}</p>}
      {verbatim ? <Verbatim text={text} /> : <Markdown text={text} />}
    </>
  );
}

/** What rules show of files and folders, as it is: `__init__.py` is a name. */
function Verbatim({ text }: { text: string }): VNode {
  return (
    <div class="prose">
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}

function Thinking({ item }: { item: TextItem }): VNode {
  return (
    <details class="fold thinking">
      <summary>
        {s.thinking}
        {item.open && <span class="pulse" aria-hidden="true" />}
      </summary>
      <Markdown text={item.text} />
    </details>
  );
}

/** The argument by which a person knows what a call is about. */
function about(args: unknown): string {
  if (typeof args !== "object" || args === null) return "";
  const values = args as Record<string, unknown>;
  for (const name of ["path", "file", "argv", "command", "query", "url", "pattern", "from"]) {
    const value = values[name];
    if (typeof value === "string") return value;
    if (Array.isArray(value)) return value.join(" ");
  }
  return Object.values(values).find((value) => typeof value === "string") ?? "";
}

export function Call({ item }: { item: CallItem }): VNode {
  const { decision } = item;
  const status = item.status ?? "running";
  return (
    <details class={`fold call ${status}`}>
      <summary>
        <span class="dot" aria-hidden="true" />
        <span class="tool">{item.tool}</span>
        <bdi class="target">{about(item.args)}</bdi>
        {item.agent !== undefined && <span class="badge">{item.agent}</span>}
        {decision !== undefined && (
          <span class={`badge ${decision.verdict}`}>
            {s.verdict[decision.verdict]} · {decision.layer.replaceAll("_", " ")}
          </span>
        )}
        <span class="muted">
          {item.progress ?? s.call[status]}
          {item.durationMs !== undefined && item.durationMs >= 100 && ` · ${span(item.durationMs)}`}
        </span>
      </summary>
      {decision !== undefined && (
        <dl class="facts">
          <dt>{s.layer}</dt>
          <dd>{decision.layer}</dd>
          <dt>{s.rule}</dt>
          <dd>{decision.rule}</dd>
          <dt>{s.reason}</dt>
          <dd>
            <bdi>{decision.reason}</bdi>
          </dd>
          {item.answer !== undefined && (
            <>
              <dt>{s.answer}</dt>
              <dd>
                {s.answered[item.answer.answer.answer]} {s.by(item.answer.by)}
              </dd>
            </>
          )}
        </dl>
      )}
      <h3>{s.arguments}</h3>
      <pre tabIndex={0}>
        <code>{JSON.stringify(item.args, null, 2)}</code>
      </pre>
      {item.result !== undefined && (
        <>
          <h3>{s.result}</h3>
          <pre tabIndex={0}>
            <code>{body(item.result)}</code>
          </pre>
          {item.truncated && <p class="muted">{s.cut}</p>}
        </>
      )}
    </details>
  );
}

function Asked({ item }: { item: QuestionItem }): VNode | null {
  // What waits is asked below, where it is answered.
  if (item.answer === undefined && !item.lapsed) return null;
  const given = item.answer === undefined ? "lapsed" : item.answer.answer;
  return (
    <details class={`fold answered ${given}`}>
      <summary>
        <span class="dot" aria-hidden="true" />
        {s.answered[given]} {item.by !== undefined && <span class="muted">{s.by(item.by)}</span>}
        {item.answer?.message && <q>{item.answer.message}</q>}
      </summary>
      <What request={item.request} />
    </details>
  );
}

function Plan({ item }: { item: PlanItem }): VNode {
  return (
    <section class="card plan" aria-label={s.plan}>
      <h3>
        {s.plan}: <bdi>{item.intent}</bdi>
      </h3>
      <ol>
        {item.steps.map(({ action, status, text }, at) => (
          <li key={at} class={status ?? "waits"}>
            <span class="tool">{action.kind.replaceAll("_", " ")}</span>{" "}
            <bdi class="target">{about(action)}</bdi>
            {status !== undefined && <span class="muted"> {s.call[status]}</span>}
            {text !== undefined && text !== "" && (
              <pre tabIndex={0}>
                <code>{text}</code>
              </pre>
            )}
          </li>
        ))}
      </ol>
      {item.approvedBy !== undefined && <p class="muted">{s.approvedBy(item.approvedBy)}</p>}
    </section>
  );
}

function Note({ item }: { item: NoteItem }): VNode {
  return (
    <div class={`note ${item.level}`}>
      <p>{item.fault.message}</p>
      {item.fault.hint && <p class="muted">{item.fault.hint}</p>}
    </div>
  );
}

function Agent({ item }: { item: AgentItem }): VNode {
  return (
    <details class={`fold agent ${item.report?.status ?? "running"}`}>
      <summary>
        <span class="dot" aria-hidden="true" />
        <span class="tool">{item.agentType}</span>
        <span class="target">{item.report?.summary ?? item.task}</span>
      </summary>
      <pre tabIndex={0}>
        <code>{item.task}</code>
      </pre>
      {item.report !== undefined && <p>{item.report.summary}</p>}
    </details>
  );
}

function Recall({ item }: { item: RecallItem }): VNode {
  return (
    <details class="fold recall">
      <summary>{s.memory(item.ids.length)}</summary>
      <pre tabIndex={0}>
        <code>{body(item.text)}</code>
      </pre>
    </details>
  );
}

/** What went along with a message. The page shows no picture: it names it. */
function Given({ item }: { item: GivenItem }): VNode {
  const size = item.width === undefined ? "" : ` · ${item.width} × ${item.height}`;
  if (item.text === undefined) {
    return (
      <p class="given">
        <Icon name="clip" /> {s.pictureGiven}: <bdi>{item.name}</bdi>
        {size}
      </p>
    );
  }
  return (
    <details class="fold given">
      <summary>
        <Icon name="clip" /> {s.textGiven}: <bdi class="target">{item.name}</bdi>
      </summary>
      <pre tabIndex={0}>
        <code>{body(item.text)}</code>
      </pre>
    </details>
  );
}
