// Which providers answer, which models there are, which one is chosen, and why one cannot be used.

import type { VNode } from "preact";
import * as api from "../api";
import type { Model, Provider } from "../events";
import { useLive } from "../live";
import * as settings from "../settings";
import * as state from "../state";
import { count, s, size } from "../strings";
import { Trouble } from "./trouble";

const EVERY_MS = 15_000;

export function ModelsPanel(): VNode {
  const load = async () => {
    const known = await api.models();
    settings.models.value = known;
    return known;
  };
  const { profile } = state.view.value;
  const { value, fault } = useLive(load, EVERY_MS, settings.chosenModel(profile));
  const chosen = settings.choice.value.model ?? settings.chosenModel(profile);
  const answered = state.view.value.turns.findLast((turn) => turn.model !== undefined)?.model;
  return (
    <>
      <Trouble fault={fault} />
      <section aria-labelledby="chosen">
        <h2 id="chosen">{s.chosenModel}</h2>
        <p>
          <bdi class="tool">{chosen === settings.AGENTS_OWN ? s.agentsModel : chosen}</bdi>
        </p>
        {answered !== undefined && (
          <p class="muted">
            {s.lastAnswered} <bdi>{answered}</bdi>
          </p>
        )}
        {chosen !== settings.AGENTS_OWN && <Use name={settings.AGENTS_OWN} label={s.agentsModel} />}
      </section>
      {value?.providers.map((one) => (
        <ProviderView
          key={one.provider}
          one={one}
          models={value.models.filter((model) => model.model.startsWith(`${one.provider}/`))}
          chosen={chosen}
        />
      ))}
    </>
  );
}

function Use({ name, label }: { name: string; label: string }): VNode {
  return (
    <button
      type="button"
      onClick={() => {
        settings.choice.value = { ...settings.choice.value, model: name };
        state.announced.value = s.chosenNext(label);
      }}
    >
      {s.use(label)}
    </button>
  );
}

function ProviderView(props: { one: Provider; models: Model[]; chosen: string }): VNode {
  const { one, models, chosen } = props;
  return (
    <section class="provider" aria-label={one.provider}>
      <h2>
        <bdi>{one.provider}</bdi> <span class={`badge ${one.ready ? "allow" : "deny"}`}>{one.ready ? s.ready : s.off}</span>
      </h2>
      <p class="muted">
        <bdi>{one.endpoint}</bdi>
      </p>
      {one.note !== "" && (
        <p class="muted">
          <bdi>{one.note}</bdi>
        </p>
      )}
      {one.fault !== null && (
        <div class="note error">
          <p>
            <bdi>{one.fault.message}</bdi>
          </p>
          {one.fault.hint && (
            <p class="muted">
              <bdi>{one.fault.hint}</bdi>
            </p>
          )}
        </div>
      )}
      {models.length > 0 && (
        <ul class="models">
          {models.map((model) => (
            <li key={model.model}>
              <bdi class="tool">{model.model}</bdi>
              <p class="muted">{facts(model)}</p>
              {model.model === chosen ? (
                <span class="badge allow">{s.isChosen}</span>
              ) : (
                <Use name={model.model} label={model.model} />
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function facts(model: Model): string {
  const { context_tokens: context, size_bytes: bytes, loaded, roles } = model;
  return [
    context === null ? s.contextUnknown : s.contextSize(count(context)),
    bytes !== null && size(bytes),
    model.class !== null && (s.classes[model.class] ?? model.class),
    loaded !== null && (loaded ? s.loaded : s.notLoaded),
    roles.length > 0 && s.roles(roles.join(", ")),
  ]
    .filter((part) => part)
    .join(" · ");
}
