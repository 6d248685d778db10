import type { AnyObject } from './any-object.js';
import type { Inspect } from './mistake.js';
import { hasTooMany, isJsonObject, isRecord, type JsonObject, MAX_FIELDS } from './plain.js';

/**
 * Chooses the destinations of a message, as a call takes it: the destination's name, case sensitive, and `true`, `false`, or
 * settings for it. `All` speaks for every destination that is not named: `{ All: false, Webhooks: true }` is Webhooks alone.
 */
export interface IntegrationsInput {
  All?: boolean | null | undefined;
  [destination: string]: boolean | AnyObject | null | undefined;
}

/** The same in a message. A destination that is `null` counts as left out. */
export interface Integrations {
  All?: boolean | null | undefined;
  [destination: string]: boolean | Record<string, unknown> | null | undefined;
}

const isSwitch = (value: unknown): boolean => typeof value === 'boolean' || value == null || isRecord(value);

/** Finds the destination that is wrong. It runs at every call, so it makes no object while nothing is. */
export const inspectIntegrations: Inspect = (value) => {
  if (value == null) return undefined;
  if (!isRecord(value)) return { path: [], expected: 'a plain object' };
  if (hasTooMany(value)) return { path: [], expected: `at most ${MAX_FIELDS} destinations`, received: 'more' };
  for (const name of Object.keys(value))
    if (!isSwitch(value[name])) return { path: [name], expected: 'true, false or a plain object' };
  return undefined;
};

/**
 * Brings the integrations in the context of a message, or of a batch, to its top level, where they are read. In place; the context
 * itself may be the caller's and is not changed. A value that is no object is moved too, so that it is refused there.
 */
export function liftIntegrations(message: JsonObject): void {
  const { context } = message;
  if (!isJsonObject(context) || !Object.hasOwn(context, 'integrations')) return;
  const { integrations, ...rest } = context;
  message['context'] = rest;
  if (integrations !== undefined && integrations !== null) {
    message['integrations'] = mergeIntegrations(integrations, message['integrations']);
  }
}

/** Merges `upper` over `lower`, key by key. A `null` counts as left out; a value that is no object is refused later. */
export function mergeIntegrations(lower: unknown, upper: unknown): unknown {
  if (isSilent(upper)) return lower;
  if (isSilent(lower) || !isJsonObject(upper)) return upper;
  if (!isJsonObject(lower)) return lower;
  const said = Object.entries(upper).filter(([name, value]) => value !== null || !Object.hasOwn(lower, name));
  return { ...lower, ...Object.fromEntries(said) };
}

/** Tells whether a value chooses nothing. PHP writes an empty object as an empty list. */
const isSilent = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);
