import type { AnyObject } from './any-object.js';
import { isJsonObject, isRecord, type JsonObject } from './plain.js';

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

export const isSwitch = (value: unknown): boolean => typeof value === 'boolean' || value == null || isRecord(value);

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
