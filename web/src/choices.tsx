// By which agent, mode and model the next message is worked on.

import type { VNode } from "preact";
import { chosenModel } from "./settings";
import * as settings from "./settings";
import * as state from "./state";
import { s } from "./strings";

export function Choices(): VNode {
  const isNew = state.current.value === undefined;
  const profile = state.view.value.profile;
  const { agent, mode, model } = settings.choice.value;
  const set = (changed: Partial<settings.Choice>) =>
    (settings.choice.value = { ...settings.choice.value, ...changed });
  const now = isNew ? "" : chosenModel(profile);
  const names = settings.models.value?.models.map((one) => one.model) ?? [];
  const known = now === "" || now === settings.AGENTS_OWN || names.includes(now) ? names : [now, ...names];
  return (
    <div class="choices">
      {isNew && (
        <Choice
          label={s.agent}
          value={agent ?? ""}
          options={[
            ["", s.asConfigured(s.agent)],
            ...settings.agents.value.map(({ agent: name }): Option => [name, name]),
          ]}
          choose={(name) => set({ agent: name })}
        />
      )}
      <Choice
        label={s.mode}
        value={mode ?? (isNew ? "" : (profile?.mode ?? ""))}
        options={[
          ...(isNew ? [["", s.asConfigured(s.mode)] as Option] : []),
          ...modes(profile?.mode).map((name): Option => [name, s.modes[name] ?? name]),
        ]}
        choose={(name) => set({ mode: name })}
      />
      <Choice
        label={s.model}
        value={model ?? (now === "" ? settings.AGENTS_OWN : now)}
        options={[
          [settings.AGENTS_OWN, s.agentsModel],
          ...known.map((name): Option => [name, name]),
        ]}
        choose={(name) => set({ model: name })}
      />
    </div>
  );
}

type Option = [string, string];

/** The modes that suit a message; beside them the one that a session has. */
function modes(own?: string): string[] {
  const all = ["adaptive", "loop", "plan", "deterministic"];
  return own === undefined || all.includes(own) ? all : [...all, own];
}

function Choice(props: {
  label: string;
  value: string;
  options: Option[];
  choose: (name: string | undefined) => void;
}): VNode {
  return (
    <select
      aria-label={props.label}
      title={props.label}
      value={props.value}
      onChange={(event) => props.choose(event.currentTarget.value || undefined)}
    >
      {props.options.map(([name, said]) => (
        <option key={name} value={name} selected={name === props.value}>
          {said}
        </option>
      ))}
    </select>
  );
}
