import type { AnyObject } from './any-object.js';
import { isRecord } from './is.js';
import type { Inspect } from './mistake.js';

/**
 * Which destinations a message goes to, as a call takes it: the destination's name, case sensitive, and `true`, `false`, or
 * settings for it. `All` speaks for every destination that is not named: `{ All: false, Webhooks: true }` is Webhooks alone.
 */
export interface IntegrationsInput {
  All?: boolean | null | undefined;
  [destination: string]: boolean | AnyObject | null | undefined;
}

/** The same as a message has it. `null` says no more than a name that is left out. */
export interface Integrations {
  All?: boolean | null | undefined;
  [destination: string]: boolean | Record<string, unknown> | null | undefined;
}

const isSwitch = (value: unknown): boolean => typeof value === 'boolean' || value == null || isRecord(value);

export const isIntegrations = (value: unknown): boolean => {
  if (!isRecord(value)) return false;
  for (const name of Object.keys(value)) if (!isSwitch(value[name])) return false;
  return true;
};

/** Says which destination is wrong, where `isIntegrations` only says that one is. */
export const inspectIntegrations: Inspect = (value) => {
  if (value == null) return undefined;
  if (!isRecord(value)) return { path: [], expected: 'a plain object' };
  const wrong = Object.keys(value).find((name) => !isSwitch(value[name]));
  return wrong === undefined ? undefined : { path: [wrong], expected: 'true, false or a plain object' };
};
