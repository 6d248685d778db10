import type { AnyObject } from './any-object.js';
import { isJsonObject, type JsonObject } from './plain.js';

/**
 * Chooses the destinations of a message, in the form that a call accepts: the destination's name, which is case sensitive, and
 * `true`, `false`, or settings for it. `All` applies to every destination that is not named: `{ All: false, Webhooks: true }`
 * means only Webhooks.
 */
export interface IntegrationsInput {
  All?: boolean | null | undefined;
  [destination: string]: boolean | AnyObject | null | undefined;
}

/** The choice of destinations in the form that a message has. A destination that is `null` counts as absent. */
export interface Integrations {
  All?: boolean | null | undefined;
  [destination: string]: boolean | Record<string, unknown> | null | undefined;
}

/**
 * Moves the integrations in the context of a message or a batch to its top level, where they are read. The message is changed in
 * place, but not its context, which may belong to the caller. A value that is not an object is moved too, so that it is refused
 * there.
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

/**
 * Merges `upper` over `lower`, key by key. `null` and `undefined` count as absent, so that a choice that is not made keeps the one
 * below. A value that is not an object is refused later.
 */
export function mergeIntegrations(lower: unknown, upper: unknown): unknown {
  if (isSilent(upper)) return lower;
  if (isSilent(lower) || !isJsonObject(upper)) return upper;
  if (!isJsonObject(lower)) return lower;
  const said = Object.entries(upper).filter(([name, value]) => (value ?? null) !== null || !Object.hasOwn(lower, name));
  return { ...lower, ...Object.fromEntries(said) };
}

/** Tells whether a value chooses no destinations. PHP writes an empty object as an empty list. */
const isSilent = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);
