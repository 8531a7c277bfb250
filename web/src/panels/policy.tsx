// What each layer of the policy says to a call that is only thought of. Nothing is run.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import * as api from "../api";
import type { Decision, Fault, Finding, Tool } from "../events";
import { useLive, why } from "../live";
import * as settings from "../settings";
import { s } from "../strings";
import { Trouble } from "./trouble";

const EVERY_MS = 60_000;

export function PolicyPanel(): VNode {
  const { value, fault } = useLive(api.tools, EVERY_MS, "");
  return (
    <>
      <Trouble fault={fault} />
      {value !== undefined && <Explainer tools={value} />}
    </>
  );
}

/** Arguments to fill in: what a tool has to be given. */
function blank(tool: Tool | undefined): string {
  const required = tool?.parameters.required ?? [];
  return JSON.stringify(Object.fromEntries(required.map((name) => [name, ""])), null, 1);
}

function Explainer({ tools }: { tools: Tool[] }): VNode {
  const [agent, setAgent] = useState("");
  const [name, setName] = useState(tools[0]?.name ?? "");
  const [typed, setTyped] = useState(blank(tools[0]));
  const [attended, setAttended] = useState(true);
  const [told, setTold] = useState<{ decision?: Decision; fault?: Fault }>({});
  const choose = (next: string) => {
    setName(next);
    setTyped(blank(tools.find((one) => one.name === next)));
  };
  const explain = async () => {
    let given: unknown;
    try {
      given = JSON.parse(typed);
    } catch {
      setTold({ fault: { code: "page", message: s.noJson } });
      return;
    }
    const call = { ...(agent === "" ? {} : { agent }), tool: name, arguments: given, attended };
    await api.explain(call).then(
      (decision) => setTold({ decision }),
      (error: unknown) => setTold({ fault: why(error) }),
    );
  };
  return (
    <section aria-labelledby="explain">
      <h2 id="explain">{s.explainTitle}</h2>
      <form
        class="explain"
        onSubmit={(event) => {
          event.preventDefault();
          void explain();
        }}
      >
        <label>
          {s.explainAgent}
          <select value={agent} onChange={(event) => setAgent(event.currentTarget.value)}>
            <option value="">{s.asConfigured(s.agent)}</option>
            {settings.agents.value.map((one) => (
              <option key={one.agent} value={one.agent}>
                {one.agent}
              </option>
            ))}
          </select>
        </label>
        <label>
          {s.tool}
          <select value={name} onChange={(event) => choose(event.currentTarget.value)}>
            {tools.map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
          </select>
        </label>
        <label>
          {s.explainArguments}
          <textarea rows={5} spellcheck={false} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={attended}
            onChange={(event) => setAttended(event.currentTarget.checked)}
          />
          {s.explainAttended}
        </label>
        <button type="submit">{s.explain}</button>
      </form>
      <div role="status">
        <Trouble fault={told.fault} />
        {told.decision !== undefined && <Explained decision={told.decision} />}
      </div>
    </section>
  );
}

function Explained({ decision }: { decision: Decision }): VNode {
  return (
    <>
      <p class="decision">
        <span class={`badge ${decision.verdict}`}>{s.verdict[decision.verdict]}</span> {s.layer}{" "}
        <bdi class="tool">{decision.layer}</bdi> · {s.rule} <bdi>{decision.rule}</bdi>
      </p>
      <p>
        <bdi>{decision.user_reason}</bdi>
      </p>
      <h3>{s.layers}</h3>
      <ol class="findings">
        {decision.findings.map((one, at) => (
          <Row key={at} one={one} />
        ))}
      </ol>
    </>
  );
}

function Row({ one }: { one: Finding }): VNode {
  return (
    <li>
      <span class={`badge ${one.verdict}`}>{s.verdict[one.verdict]}</span> <bdi class="tool">{one.layer}</bdi>{" "}
      <bdi class="muted">{one.rule}</bdi>
      {one.user_reason !== "" && (
        <p class="muted">
          <bdi>{one.user_reason}</bdi>
        </p>
      )}
    </li>
  );
}
