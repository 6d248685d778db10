import { OptionError } from '../../base/errors/errors.js';
import { isInstance } from '../../base/errors/is-instance.js';
import { callback, checkNames, checkValues } from '../../base/options/check-options.js';
import { describe } from '../../base/text/describe.js';
import { type Inspections, mistakeIn } from '../../protocol/common.js';
import type { Context } from '../../protocol/context.js';
import { type Integrations, mergeIntegrations } from '../../protocol/integrations.js';
import { commonInspections } from '../../protocol/message-checks.js';
import type { MessageDefaults, ResolvedMessageDefaults } from '../../protocol/normalize.js';
import { formatPath, valueAt } from '../../protocol/path.js';
import { isPlain } from '../../protocol/plain.js';
import { TooMuchError } from '../../protocol/plain-copy.js';
import { explainUnreadable, writeJson } from '../../protocol/write-json.js';
import type { WaitUntil } from '../ending/wait-until.js';

/** The fields that a client, its child, or a run fills in if a call does not set them. */
export type Defaults = MessageDefaults & {
  /** Keeps a serverless function running until the messages of its calls are delivered or lost. See docs/serverless.md. */
  waitUntil?: WaitUntil | undefined;
};

/** The same fields, each of which is present or undefined. */
export type ResolvedDefaults = ResolvedMessageDefaults & { readonly waitUntil: WaitUntil | undefined };

const { userId, anonymousId, context, integrations } = commonInspections;
const INSPECTIONS: Inspections<MessageDefaults> = { userId, anonymousId, visitorId: userId, context, integrations };

const NAMES: readonly string[] = [...Object.keys(INSPECTIONS), 'waitUntil' satisfies keyof Defaults];

/**
 * Checks the fields that a child or a run fills in.
 *
 * @param example the call, for the error
 * @throws OptionError
 */
export function resolveDefaults(own: Defaults, example: string): ResolvedDefaults {
  checkNames(own, NAMES, { door: 'client', example });
  checkValues<Pick<Defaults, 'waitUntil'>>(own, { waitUntil: callback }, { door: 'client' });
  checkDefaults(own);
  return lift(own);
}

/** Merges the fields of two levels; `nearer` wins. `context` and `integrations` are merged key by key. */
export const mergeDefaults = (further: ResolvedDefaults, nearer: ResolvedDefaults): ResolvedDefaults => ({
  userId: nearer.userId || further.userId,
  anonymousId: nearer.anonymousId || further.anonymousId,
  context: merge(further.context, nearer.context),
  integrations: mergeIntegrations(further.integrations, nearer.integrations) as Integrations | undefined,
  visitorId: nearer.visitorId ?? further.visitorId,
  waitUntil: nearer.waitUntil ?? further.waitUntil,
});

/**
 * Moves integrations in the context to the top level, where collectors read them, as in a message; those already there win. The
 * types have checked the caller's own objects.
 */
export function lift({ userId, anonymousId, visitorId, waitUntil, ...given }: Defaults): ResolvedDefaults {
  const ids = { userId: userId ?? undefined, anonymousId: anonymousId ?? undefined, visitorId: visitorId || undefined };
  const rest = { ...ids, waitUntil };
  const context = (given.context ?? undefined) as Context | undefined;
  const integrations = (given.integrations ?? undefined) as Integrations | undefined;
  if (context?.integrations === undefined) return { ...rest, context, integrations };
  const { integrations: lifted, ...other } = context;
  return { ...rest, context: other, integrations: mergeIntegrations(lifted, integrations) as Integrations | undefined };
}

const merge = <T extends object>(inherited: T | undefined, own: T | undefined): T | undefined =>
  inherited === undefined || own === undefined ? (own ?? inherited) : { ...inherited, ...own };

/** @throws OptionError */
export function checkDefaults(given: MessageDefaults): void {
  const mistake = mistakeIn(given, INSPECTIONS);
  if (mistake !== undefined) {
    const { path, expected, received = describe(valueAt(given, path)) } = mistake;
    const [name, ...rest] = path;
    throw new OptionError('client', formatPath(String(name), rest), expected, received);
  }
  const { context, integrations } = given;
  checkWritable({ context, integrations });
}

/**
 * Refuses a value that JSON cannot hold when it is given, and not at each call. Only whole messages can be too large.
 *
 * @throws OptionError
 */
function checkWritable(value: object): void {
  try {
    void (isPlain(value) ? JSON.stringify(value) : writeJson('', value));
  } catch (error) {
    if (isInstance(error, TooMuchError)) return;
    const { path, expected, received } = explainUnreadable('', value, error);
    throw new OptionError('client', path.replace(/^\./, ''), expected, received);
  }
}
