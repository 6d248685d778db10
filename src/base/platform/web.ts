/** The same as `node.ts`, on what browsers, Workers, Deno and Bun share. */
import type * as node from './node.js';

// esbuild puts the values of constants into other files where nothing else stands before them.
export const HAS_DISK = false;

export const HAS_SIGNALS = false;

export const HAS_STEPS = false;

export type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Tells whether a method takes the value for one of its own, whatever its prototype and its tag say. */
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

/** Few of these runtimes have contexts, and none can be left. */
export const inOwnContext: typeof node.inOwnContext = (act, ...args) => act(...args);

export function after(ms: number, act: () => void): () => void {
  const timer: unknown = setTimeout(act, ms);
  // Deno's timers are numbers; Bun's are as Node's.
  (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer as number);
}

export const formatMs: typeof node.formatMs = (ms) => new Date(ms).toISOString();

export const nextTurn = (act: () => void): unknown => setTimeout(act, 0);

/** Errors here list the names, because code that finds the one that was meant would add two percent to the client. */
export const suggest = (): undefined => undefined;

export const reasonOf = (message: string): string => message;

export const codeOfName = (): undefined => undefined;
