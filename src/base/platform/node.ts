/**
 * The client takes these from Node itself, in the words of every platform. The build of `eventferry/fetch` puts `web.ts` in the place
 * of this file; no other file of the protocol and the queue knows where it runs.
 */
import { AsyncResource } from 'node:async_hooks';
import { types } from 'node:util';

export { suggest } from '../options/suggest.js';

// Functions of their own: a build leaves out those that a door does not call, and `node:util` with the last of them.

export const isBoxedPrimitive: typeof types.isBoxedPrimitive = (value) => types.isBoxedPrimitive(value);

export const isDate: typeof types.isDate = (value) => types.isDate(value);

/** Recognises an error of any realm. */
export const isError = (value: unknown): value is Error => types.isNativeError(value) || value instanceof Error;

export const isNumberObject: typeof types.isNumberObject = (value) => types.isNumberObject(value);

export const isPromise: typeof types.isPromise = (value) => types.isPromise(value);

export const isStringObject: typeof types.isStringObject = (value) => types.isStringObject(value);

export const isTypedArray: typeof types.isTypedArray = (value) => types.isTypedArray(value);

/** Messages can wait on a disk. It is a constant, so that a bundler leaves out what it rules out. */
export const HAS_DISK = true;

/** There are signals to close on. It is a constant for the same reason. */
export const HAS_SIGNALS = true;

/** Steps can be asked for with `DEBUG`. It is a constant for the same reason. */
export const HAS_STEPS = true;

/** Bytes that text is written into. */
export type Bytes = Buffer<ArrayBuffer>;

/** The content of the bytes is undefined until it is written. */
export const allocate = (bytes: number): Bytes => Buffer.allocUnsafeSlow(bytes);

/** The bytes of a text in UTF-8. */
export const byteLength = (text: string): number => Buffer.byteLength(text);

/** Tells whether a text has no half of a surrogate pair. */
export const isWellFormed = (text: string): boolean => (text as { isWellFormed(): boolean } & string).isWellFormed();

/** Writes UTF-8; returns how many bytes that were. The caller has made room for all of them. */
export const write = (target: Bytes, text: string, at: number): number => target.write(text, at);

/** The same for a text that is ASCII. */
export const writeAscii = (target: Bytes, text: string, at: number): number => target.write(text, at, 'latin1');

/** The text of bytes that are UTF-8. */
export const decode = (bytes: Bytes): string => bytes.toString();

/** Base64 of a text in UTF-8. */
export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/**
 * Calls `act` in the context in which the package was loaded. What a program has in an `AsyncLocalStorage`, such as the active span of
 * a request, belongs to the call that it made, and not to what is done later for many calls at once.
 */
export const inOwnContext: <Args extends unknown[], T>(act: (...args: Args) => T, ...args: Args) => T =
  /* @__PURE__ */ thisContext();

function thisContext(): typeof inOwnContext {
  const context = new AsyncResource('eventferry', { requireManualDestroy: true });
  // It keeps nothing open, which tools that list open handles, such as Jest, could not know otherwise.
  context.emitDestroy();
  return (act, ...args) => context.runInAsyncScope(act, undefined, ...args);
}

/** A timer that does not keep the program alive. Returns what cancels it. */
export function after(ms: number, act: () => void): () => void {
  const timer = inOwnContext(setTimeout, act, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

let formattedMs = Number.NaN;
let formatted = '';
let formattedSecond = Number.NaN;
let beginning = '';

/** `new Date(ms).toISOString()`, at a tenth of the price while the second lasts. */
export function formatMs(ms: number): string {
  if (ms === formattedMs) return formatted;
  const whole = Math.trunc(ms);
  const second = Math.floor(whole / 1000);
  if (second !== formattedSecond) {
    beginning = new Date(second * 1000).toISOString().slice(0, -'000Z'.length);
    formattedSecond = second;
  }
  formattedMs = ms;
  formatted = `${beginning}${String(1000 + whole - second * 1000).slice(1)}Z`;
  return formatted;
}

/** Calls `act` when the event loop has gone round. */
export const nextTurn = (act: () => void): unknown => setImmediate(act);

/** `80A1…:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/…:350:`: only the reason means anything. */
const OPENSSL_ERROR = /[\dA-F]+:error:[\dA-F]+:[^:]*:[^:]*:([^:]+).*$/s;

/** Shortens a message of the system by what means nothing to its reader. */
export const reasonOf = (message: string): string => message.replace(OPENSSL_ERROR, '$1');

/** The code of an error that has none, by its name. */
export const codeOfName = (name: unknown): string | undefined =>
  name === 'HTTPParserError' ? 'HPE_INVALID' : undefined;
