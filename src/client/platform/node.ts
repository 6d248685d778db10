/**
 * The stages of the client that only Node has, and what the client asks of the process. The build of `eventferry/fetch` puts `web.ts`
 * in the place of this file.
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

export { newUuid } from '../../base/text/uuid.js';
export { VanishedOnce } from '../../protocol/vanished.js';
export { exampleOf, mistakeOf } from '../calls/call-style.js';
export { checkPlatform } from '../check-platform.js';
export { Ending } from '../ending/ending.js';
export { printNow } from '../ending/print-now.js';
export {
  abandonIfEnded,
  heedSignals,
  ignoreSignals,
  occupy,
  vacate,
  watchProcessEnd,
} from '../ending/process-end.js';
export { processLosses } from '../ending/process-losses.js';
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
export { resolveRoute } from '../transport/route.js';

export const DEFAULT_BATCH_BYTES = MAX_BATCH_BYTES;

/** The journal of a client that has one. @throws JournalError */
export const keepJournal = (...args: ConstructorParameters<typeof ClientJournal>): ClientJournal =>
  inOwnContext(() => new ClientJournal(...args));

/** Explains why the first attempt failed. */
export const explainFirst = (error: AttemptError, options: FirstFailure, tell: (text: string) => void): unknown =>
  tell(explainFirstFailure(error, options, explainConnection));

/** Takes a refused batch apart. */
export const takeApart = (...parts: ConstructorParameters<typeof BatchParts>): BatchParts | Promise<BatchParts> =>
  new BatchParts(...parts);

/** True where bodies can be compressed. */
export const canCompress = true;

/** The bytes with gzip. Off the caller's thread. */
export const compress = (body: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
  new Promise((resolve, reject) => {
    load('node:zlib').gzip(body, (error, smaller) => (error === null ? resolve(smaller) : reject(error)));
  });

/** A channel of the process to publish on; undefined where the runtime has none. */
export const findChannel: FindChannel = (name) =>
  process.getBuiltinModule('node:diagnostics_channel')?.channel(`eventferry:${name}`);

/** Keeps a value for all that is called inside of a function, however late. */
export interface Storage<T> {
  run<R>(value: T, act: () => R): R;
  getStore(): T | undefined;
}

/** @throws LoadError */
export const newStorage = <T>(): Storage<T> => new (load('node:async_hooks').AsyncLocalStorage)<T>();

/** A variable of the environment. */
export const variable = (name: string): string | undefined => process.env[name];

/** Warns whoever runs the program. */
export const warn = (line: string, code: string): void =>
  inOwnContext(() => process.emitWarning(line, { type: 'EventferryWarning', code }));
