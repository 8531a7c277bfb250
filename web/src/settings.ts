// What a person may choose for the next message, and what there is to choose from.

import { signal } from "@preact/signals";
import * as api from "./api";
import type { AgentType, Models, Profile } from "./events";

export type Choice = {
  [name in keyof api.Choice]: string | undefined;
};

/** The model that suits the agent type. */
export const AGENTS_OWN = "default";

/** What was chosen and holds from the next message on. */
export const choice = signal<Choice>({});
export const agents = signal<AgentType[]>([]);
export const models = signal<Models | undefined>(undefined);

/** Looks what there is. Where that is not told, nothing is chosen from. */
export async function look(): Promise<void> {
  const [known, offered] = await Promise.allSettled([api.agents(), api.models()]);
  if (known.status === "fulfilled") agents.value = known.value;
  if (offered.status === "fulfilled") models.value = offered.value;
}

/** The model that a session asks for. */
export function chosenModel(profile: Profile | undefined): string {
  const model = profile?.model;
  if (model == null) return AGENTS_OWN;
  return "exact" in model ? model.exact : model.role;
}

/** What of a choice is another than a session has; of no session: all that was chosen. */
export function changes(chosen: Choice, profile?: Profile): api.Choice {
  const changed: api.Choice = {};
  const { agent, mode, model } = chosen;
  if (profile === undefined && agent !== undefined) changed.agent = agent;
  if (mode !== undefined && mode !== profile?.mode) changed.mode = mode;
  if (model !== undefined && model !== (profile && chosenModel(profile))) changed.model = model;
  return changed;
}
