/**
 * The stages of the client that only Node has, and what the client needs from the process. The build of `eventferry/fetch`
 * replaces this file with `web.ts`.
 */
import type { AttemptError } from '../../base/errors/errors.js';
import { MAX_BATCH_BYTES } from '../../base/options/limits.js';
import { inOwnContext } from '../../base/platform/node.js';
import { ClientJournal } from '../journal/client-journal.js';
import { BatchParts } from '../queue/batch-parts.js';
import type { FindChannel } from '../report/channels.js';
import { explainFirstFailure, type FirstFailure } from '../transport/advice.js';
import { explainConnection } from '../transport/explain-connection.js';
import { load } from '../transport/load-later.js';
import { resolveRoute as routeOf } from '../transport/route.js';
import { refusePath } from './refuse-path.js';

export { newUuid } from '../../base/text/uuid.js';
export { VanishedOnce } from '../../protocol/vanished.js';
export { exampleOf, mistakeOf } from '../calls/call-style.js';
export { ClientEnding } from '../ending/ending.js';
export { printNow } from '../ending/print-now.js';
export {
  abandonIfEnded,
  heedSignals,
  ignoreSignals,
  occupy,
  processLosses,
  vacate,
  watchProcessEnd,
} from '../ending/process-end.js';
export { checkSignals } from '../ending/process-signals.js';
export { forget, forgetPerson } from '../forget/forget.js';
export { importMessages } from '../import/importer.js';
export { resolveJournal } from '../journal/journal-options.js';
export { openJournal } from '../journal/open-journal.js';
export { nameElsewhere } from '../option-names.js';
export { PublishingEmitter } from '../report/channels.js';
export { debugLogger } from '../report/debug-logger.js';
export { adviceOn } from '../transport/advice.js';
export { defaultTransport } from '../transport/default-transport.js';
export { rejectionsOf } from '../transport/refusal-list.js';

export const DEFAULT_BATCH_BYTES = MAX_BATCH_BYTES;

/** Finds the route to an endpoint. @throws OptionError */
export function resolveRoute(options: Parameters<typeof routeOf>[0]): ReturnType<typeof routeOf> {
  refusePath(options.endpoint);
  return routeOf(options);
}

/** Makes the journal of a client that has one. @throws JournalError */
export const keepJournal = (...args: ConstructorParameters<typeof ClientJournal>): ClientJournal =>
  inOwnContext(() => new ClientJournal(...args));

/** Explains why the first attempt failed. */
export const explainFirst = (error: AttemptError, options: FirstFailure, tell: (text: string) => void): unknown =>
  tell(explainFirstFailure(error, options, explainConnection));

/** Splits a refused batch into parts. */
export const takeApart = (...parts: ConstructorParameters<typeof BatchParts>): BatchParts | Promise<BatchParts> =>
  new BatchParts(...parts);

/** True if bodies can be compressed. */
export const canCompress = true;

/** Compresses bytes with gzip, outside the caller's thread. */
export const compress = (body: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
  new Promise((resolve, reject) => {
    load('node:zlib').gzip(body, (error, smaller) => (error === null ? resolve(smaller) : reject(error)));
  });

/** Finds a diagnostics channel of the process; undefined if the runtime has none. */
export const findChannel: FindChannel = (name) =>
  process.getBuiltinModule('node:diagnostics_channel')?.channel(`eventferry:${name}`);

/** Keeps a value for all calls inside a function, however late. */
export interface JournalStorage<T> {
  run<R>(value: T, act: () => R): R;
  getStore(): T | undefined;
}

/** @throws LoadError */
export const newStorage = <T>(): JournalStorage<T> => new (load('node:async_hooks').AsyncLocalStorage)<T>();

/** Returns an environment variable. */
export const variable = (name: string): string | undefined => process.env[name];

/** Emits a process warning to whoever runs the program. */
export const warn = (line: string, code: string): void =>
  inOwnContext(() => process.emitWarning(line, { type: 'EventferryWarning', code }));
