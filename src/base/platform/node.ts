/**
 * What the client needs from Node, behind functions that every platform offers. The build of `eventferry/fetch` replaces this
 * file with `web.ts`; no other file of the protocol and the queue depends on the platform.
 */
import { AsyncResource } from 'node:async_hooks';
import { types } from 'node:util';

export { suggest } from '../options/suggest.js';

// These are separate functions so that a build leaves out those that an entry point does not call, and `node:util` with the last
// of them.

export const isBoxedPrimitive: typeof types.isBoxedPrimitive = (value) => types.isBoxedPrimitive(value);

export const isDate: typeof types.isDate = (value) => types.isDate(value);

/** Recognises errors from any realm. */
export const isError = (value: unknown): value is Error => types.isNativeError(value) || value instanceof Error;

export const isNumberObject: typeof types.isNumberObject = (value) => types.isNumberObject(value);

export const isPromise: typeof types.isPromise = (value) => types.isPromise(value);

export const isStringObject: typeof types.isStringObject = (value) => types.isStringObject(value);

export const isTypedArray: typeof types.isTypedArray = (value) => types.isTypedArray(value);

/** Messages can wait on a disk. This is a constant so that a bundler can leave out the code that it makes unreachable. */
export const HAS_DISK = true;

/** The process can receive signals to close on. This is a constant for the same reason. */
export const HAS_SIGNALS = true;

/** `DEBUG` can turn on the log of single steps. This is a constant for the same reason. */
export const HAS_STEPS = true;

/** Bytes into which text is written. */
export type Bytes = Buffer<ArrayBuffer>;

/** Allocates bytes whose content is undefined until it is written. */
export const allocate = (bytes: number): Bytes => Buffer.allocUnsafeSlow(bytes);

/** Returns the length of a text in UTF-8 bytes. */
export const byteLength = (text: string): number => Buffer.byteLength(text);

/** Returns true if a text contains no lone surrogate. */
export const isWellFormed = (text: string): boolean => (text as { isWellFormed(): boolean } & string).isWellFormed();

/** Writes UTF-8 and returns the number of bytes written. The caller has made room for all of them. */
export const write = (target: Bytes, text: string, at: number): number => target.write(text, at);

/** Works like `write`, for a text that is ASCII. */
export const writeAscii = (target: Bytes, text: string, at: number): number => target.write(text, at, 'latin1');

/** Decodes bytes that are UTF-8. */
export const decode = (bytes: Bytes): string => bytes.toString();

/** Encodes a text's UTF-8 bytes in Base64. */
export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/**
 * Calls `act` in the context in which the package was loaded. The contents of a program's `AsyncLocalStorage`, such as the active
 * span of a request, belong to the call that it made, and not to later work for many calls at once.
 */
export const inOwnContext: <Args extends unknown[], T>(act: (...args: Args) => T, ...args: Args) => T =
  /* @__PURE__ */ thisContext();

function thisContext(): typeof inOwnContext {
  const context = new AsyncResource('eventferry', { requireManualDestroy: true });
  // The context keeps nothing open; without this call, tools that list open handles, such as Jest, would report it.
  context.emitDestroy();
  return (act, ...args) => context.runInAsyncScope(act, undefined, ...args);
}

/** Starts a timer that does not keep the program alive. Returns a function that cancels it. */
export function after(ms: number, act: () => void): () => void {
  const timer = inOwnContext(setTimeout, act, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

let formattedMs = Number.NaN;
let formatted = '';
let formattedSecond = Number.NaN;
let beginning = '';

/** Returns `new Date(ms).toISOString()`, at a tenth of the cost for times within the same second. */
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

/** Calls `act` in the next turn of the event loop. */
export const nextTurn = (act: () => void): unknown => setImmediate(act);

/** Matches `80A1…:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/…`: only the reason is useful. */
const OPENSSL_ERROR = /[\dA-F]+:error:[\dA-F]+:[^:]*:[^:]*:([^:]+).*$/s;

/** Drops the parts of a system error that mean nothing to the reader. */
export const reasonOf = (message: string): string => message.replace(OPENSSL_ERROR, '$1');

/** Returns the code, derived from its name, for an error that has none. */
export const codeOfName = (name: unknown): string | undefined =>
  name === 'HTTPParserError' ? 'HPE_INVALID' : undefined;
