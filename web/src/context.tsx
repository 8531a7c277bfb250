// What the model is shown next: each part with its share, and its text exactly as it is sent.

import type { VNode } from "preact";
import { Dialog } from "./dialog";
import type { Context } from "./events";
import * as state from "./state";
import { count, s } from "./strings";

export function ContextPanel(): VNode | null {
  const shown = state.shown.value;
  return shown === undefined ? null : <Open shown={shown} />;
}

function Open({ shown }: { shown: Context }): VNode {
  const used = shown.parts.reduce((sum, part) => sum + part.tokens, 0);
  const close = () => (state.shown.value = undefined);
  const told = s.contextTokens(count(used), count(shown.budget_tokens));
  return (
    <Dialog label={s.context} close={close} name="context">
      <h2>{s.context}</h2>
      <p class="muted">{told}</p>
      <meter
        aria-label={told}
        min={0}
        max={Math.max(shown.budget_tokens, 1)}
        value={Math.min(used, shown.budget_tokens)}
      />
      <div class="parts">
        {shown.parts.map((part, at) => (
          <details key={at}>
            <summary>
              <span class="tool">{part.name.replaceAll("_", " ")}</span>
              <meter aria-label={part.name} min={0} max={Math.max(used, 1)} value={part.tokens} />
              <span class="muted">{count(part.tokens)}</span>
            </summary>
            <pre tabIndex={0}>
              <code>{part.text}</code>
            </pre>
          </details>
        ))}
      </div>
      <div class="row">
        <button type="button" onClick={close}>
          {s.close}
        </button>
      </div>
    </Dialog>
  );
}
