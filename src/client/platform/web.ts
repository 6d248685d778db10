/** The counterpart of `node.ts` for browsers, Workers, Deno and Bun. It uses only what they share. */

import { describeThrown } from '../../base/errors/describe-thrown.js';
import { ConnectionError, OptionError } from '../../base/errors/errors.js';
import { MAX_BATCH_BYTES } from '../../base/options/limits.js';
import { Emitter } from '../../base/structures/emitter.js';
import { describe, kindOf } from '../../base/text/describe.js';
import { LossTotals } from '../ending/loss-totals.js';
import { hasPageEnded, isOnPage, outlivePage, PAGE_BATCH_BYTES } from '../ending/page-end.js';
import type { AnalyticsEvents } from '../report/client-events.js';
import type { Refusal } from '../transport/advice.js';
import { isUnixEndpoint } from '../transport/endpoint.js';
import { fetchTransport } from '../transport/fetch-transport.js';
import type { NamedRejection } from '../transport/response-outcome.js';
import { batchUrl, type CollectorRoute, type RouteOptions } from '../transport/route.js';
import type * as node from './node.js';

export { abandonIfEnded, occupy, PageEnding as ClientEnding, vacate, watchProcessEnd } from '../ending/page-end.js';

const ELSEWHERE = 'It works in Node, with `eventferry` alone';

/** @throws OptionError for an option that only works on Node */
function refuse(option: string, value: unknown): never {
  throw new OptionError('client', option, 'left out', kindOf(value), ELSEWHERE);
}

export const checkSignals = (): never => refuse('closeOnSignal', true);

export const heedSignals = checkSignals as typeof node.heedSignals;

export const ignoreSignals = (): void => {};

export const resolveJournal = (journal: unknown): never => refuse('journal', journal);

/** A client without a journal opens none. */
export const openJournal = resolveJournal as typeof node.openJournal;

export const keepJournal = resolveJournal as typeof node.keepJournal;

export function resolveRoute({ endpoint, proxy, tls }: RouteOptions): CollectorRoute & { url: string } {
  if (isUnixEndpoint(endpoint))
    throw new OptionError('client', 'endpoint', 'an http or https URL', 'a unix socket', ELSEWHERE);
  if (proxy !== undefined && proxy !== false) refuse('proxy', proxy);
  if (tls !== undefined) refuse('tls', tls);
  const url = new URL(endpoint);
  return { origin: url.origin, url: batchUrl(url) };
}

export const nameElsewhere = (): undefined => undefined;

/** Does nothing, because the check would make the client too large. */
export class VanishedOnce {
  tell(): undefined {}
}

/** Gives no examples, because they would make the client too large. */
export const mistakeOf: typeof node.mistakeOf = (call, _message, [second]) =>
  second === undefined || typeof second === 'number'
    ? undefined
    : new OptionError('client', call, 'called with one object only', `${kindOf(second)} as well`);

export const exampleOf = (): undefined => undefined;

export const defaultTransport = () => fetchTransport({ isOnPage, outlivePage, hasPageEnded });

/** Loaded at the first failure. If it cannot be loaded, the failure is reported without an explanation. */
const explaining = () => import('./web-explain.js').catch(() => undefined);

export const adviceOn = async (refusal: Refusal): Promise<string | undefined> =>
  (await explaining())?.adviceOn(refusal);

/** Loaded with the first response that needs it. If it cannot be loaded, the response counts as unreadable. */
export const rejectionsOf = async (
  ...args: Parameters<typeof node.rejectionsOf>
): Promise<readonly NamedRejection[] | undefined> => (await explaining())?.rejectionsOf(...args);

export const explainFirst: typeof node.explainFirst = async (error, options, tell) =>
  tell((await explaining())?.explainFirst(error, options) ?? `${error.message}. Check \`endpoint\``);

/** Never called: only a client with a journal is asked by another process. */
export const forget = resolveJournal as typeof node.forget;

/** Loaded on the first call, because few programs need it. */
export const forgetPerson: typeof node.forgetPerson = async (...args) =>
  (await import('../forget/forget.js')).forgetPerson(...args);

/** Also loaded on the first call. */
export const importMessages: typeof node.importMessages = async (...args) =>
  (await import('../import/importer.js')).importMessages(...args);

/** Loaded when a batch is refused, which is rare. If it cannot be loaded, the batch waits as without a response. */
export const takeApart: typeof node.takeApart = async (...parts) => {
  const { BatchParts } = await import('../queue/batch-parts.js').catch((cause: unknown) => {
    throw new ConnectionError(`A part of eventferry/fetch did not load: ${describeThrown(cause)}`, {
      cause,
      causeCode: 'LOAD_FAILED',
    });
  });
  return new BatchParts(...parts);
};

export const DEFAULT_BATCH_BYTES = isOnPage ? PAGE_BATCH_BYTES : MAX_BATCH_BYTES;

export const canCompress = typeof CompressionStream === 'function';

export async function compress(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const smaller = new Blob([body]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(smaller).arrayBuffer());
}

export const findChannel = (): undefined => undefined;

/** Works if AsyncLocalStorage is a global, of the runtime or set by the program. */
export function newStorage<T>(): node.JournalStorage<T> {
  const { AsyncLocalStorage } = globalThis as { AsyncLocalStorage?: new () => node.JournalStorage<T> };
  if (AsyncLocalStorage !== undefined) return new AsyncLocalStorage();
  const hint = 'Use `child()`';
  throw new OptionError('client', 'run', 'called where there is a global AsyncLocalStorage', describe(undefined), hint);
}

export const variable = (): undefined => undefined;

// biome-ignore lint/suspicious/noConsole: there is no other place for what nobody listens to.
export const warn = (line: string): void => console.warn(line);

export const printNow = (line: string): void => warn(line);

/** All clients of the program record their losses here. A page has no end at which the totals could be printed. */
export const processLosses = new LossTotals(printNow);

export const debugLogger = (): undefined => undefined;

/** There are no diagnostics channels, so events only reach their listeners. */
export class PublishingEmitter extends Emitter<AnalyticsEvents> {
  constructor(_client: unknown, _find: unknown, onError: (error: unknown) => void) {
    super(onError);
  }

  messageAccepted(): void {}

  requestStarted(): void {}

  batchEnded(): void {}
}

let stamp = 0n;

/** Returns a UUID of version 7, each greater than the one before: the millisecond, a counter of 12 bits, and random bits. */
export function newUuid(): string {
  const now = BigInt(Date.now() || 0) << 12n;
  stamp = now > stamp ? now : stamp + 1n;
  const random = crypto.getRandomValues(new Uint8Array(8));
  // Sets the two bits of the variant.
  random[0] = ((random[0] ?? 0) & 63) | 128;
  const digits = stamp.toString(16).padStart(15, '0') + Array.from(random, hexOf).join('');
  return digits.replace(/(.{8})(.{4})(.{3})(.{4})/, '$1-$2-7$3-$4-');
}

const hexOf = (byte: number): string => byte.toString(16).padStart(2, '0');
