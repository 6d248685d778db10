/** The counterpart of `node.ts` for browsers, Workers, Deno and Bun. It uses only what they share. */
import type * as node from './node.js';

// esbuild inlines these constants into other files only if nothing else stands before them.
export const HAS_DISK = false;

export const HAS_SIGNALS = false;

export const HAS_STEPS = false;

export type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns true if a built-in method accepts the value as its own kind, whatever its prototype and its tag claim. */
function isOfKind(value: unknown, method: () => unknown): boolean {
  if (typeof value !== 'object') return false;
  try {
    method.call(value);
    return true;
  } catch {
    return false;
  }
}

export const isDate = ((value) => isOfKind(value, Date.prototype.getTime)) as typeof node.isDate;

export const isError = ((value) => value instanceof Error) as typeof node.isError;

export const isNumberObject = ((value) => isOfKind(value, Number.prototype.valueOf)) as typeof node.isNumberObject;

export const isStringObject = ((value) => isOfKind(value, String.prototype.valueOf)) as typeof node.isStringObject;

export const isBoxedPrimitive = ((value) =>
  [Number, String, Boolean, Symbol, BigInt].some(({ prototype }) =>
    isOfKind(value, prototype.valueOf),
  )) as typeof node.isBoxedPrimitive;

export const isTypedArray = ((value) =>
  ArrayBuffer.isView(value) && !(value instanceof DataView)) as typeof node.isTypedArray;

export const isPromise = ((value) => value instanceof Promise) as typeof node.isPromise;

export const allocate = (bytes: number): Bytes => new Uint8Array(bytes);

export const byteLength = (text: string): number => encoder.encode(text).length;

export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

export const write = (target: Bytes, text: string, at: number): number =>
  encoder.encodeInto(text, target.subarray(at)).written;

export const writeAscii = (target: Bytes, text: string, at: number): number => write(target, text, at);

export const decode = (bytes: Bytes): string => decoder.decode(bytes);

export const base64 = (text: string): string => btoa(String.fromCharCode(...encoder.encode(text)));

/** Few of these runtimes have async contexts, and none can leave one. */
export const inOwnContext: typeof node.inOwnContext = (act, ...args) => act(...args);

export function after(ms: number, act: () => void): () => void {
  const timer: unknown = setTimeout(act, ms);
  // In Deno a timer is a number; in Bun it is an object as in Node.
  (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer as number);
}

export const formatMs: typeof node.formatMs = (ms) => new Date(ms).toISOString();

export const nextTurn = (act: () => void): unknown => setTimeout(act, 0);

/** Returns nothing: errors list the known names instead, because the code to find one would add two percent to the client. */
export const suggest = (): undefined => undefined;

export const reasonOf = (message: string): string => message;

export const codeOfName = (): undefined => undefined;
