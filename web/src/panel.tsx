// What stands beside a session: its agents, calls, jobs, memory, the models, the policy and how good its
// answers are, each live while it is looked at. On a narrow window it lies above the session.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icons";
import { AgentsPanel } from "./panels/agents";
import { CallsPanel } from "./panels/calls";
import { JobsPanel } from "./panels/jobs";
import { MemoryPanel } from "./panels/memory";
import { ModelsPanel } from "./panels/models";
import { PolicyPanel } from "./panels/policy";
import { QualityPanel } from "./panels/quality";
import * as state from "./state";
import { s } from "./strings";

const narrow = window.matchMedia("(max-width: 72rem)");
/** Whether a panel lies above the session. */
export const covers = signal(narrow.matches);
narrow.addEventListener("change", () => (covers.value = narrow.matches));

const VIEWS = {
  agents: AgentsPanel,
  calls: CallsPanel,
  jobs: JobsPanel,
  memory: MemoryPanel,
  models: ModelsPanel,
  policy: PolicyPanel,
  quality: QualityPanel,
};

/** Closes the panel that lies above a question. */
function toQuestion(): void {
  state.closePanel();
  // Behind the focus that goes back to where it was.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => document.querySelector<HTMLElement>(".question")?.focus()),
  );
}

export function Panel(): VNode | null {
  const name = state.panel.value;
  return name === undefined ? null : <Open name={name} />;
}

function Open({ name }: { name: state.PanelName }): VNode {
  const tabs = useRef<HTMLDivElement>(null);
  const focus = (at: state.PanelName) => tabs.current?.querySelector<HTMLElement>(`#tab-${at}`)?.focus();
  useEffect(() => focus(name), []);
  const keys = (event: KeyboardEvent) => {
    const at = state.PANELS.indexOf(name);
    const last = state.PANELS.length - 1;
    const to = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    }[event.key];
    const next = to === undefined ? undefined : state.PANELS[to];
    if (next === undefined) return;
    event.preventDefault();
    state.openPanel(next);
    focus(next);
  };
  const View = VIEWS[name];
  return (
    <>
      {covers.value && (
        <button type="button" class="veil" aria-label={s.closePanel} onClick={state.closePanel} tabIndex={-1} />
      )}
      <aside
        class="panel"
        aria-label={s.panel}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          state.closePanel();
        }}
      >
        <div class="panel-head">
          <div class="tabs" role="tablist" aria-label={s.panel} ref={tabs} onKeyDown={keys}>
            {state.PANELS.map((one) => (
              <button
                key={one}
                id={`tab-${one}`}
                type="button"
                role="tab"
                aria-selected={one === name}
                aria-controls="panel"
                tabIndex={one === name ? 0 : -1}
                onClick={() => state.openPanel(one)}
              >
                {s.panels[one]}
              </button>
            ))}
          </div>
          <button type="button" class="icon" aria-label={s.closePanel} onClick={state.closePanel}>
            <Icon name="close" />
          </button>
        </div>
        {covers.value && state.open.value.length > 0 && (
          <button type="button" class="primary waits" onClick={toQuestion}>
            <Icon name="shield" /> {s.asks}
          </button>
        )}
        <div id="panel" class="panel-body" role="tabpanel" aria-labelledby={`tab-${name}`} tabIndex={0}>
          <View key={`${name} ${state.current.value ?? ""}`} />
        </div>
      </aside>
    </>
  );
}
