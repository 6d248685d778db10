/**
 * What the client takes from Node itself, in the words of every platform. The build of `eventferry/fetch` puts `web.ts` in the place
 * of this file; no other file of the protocol and the queue knows where it runs.
 */
import { types } from 'node:util';

export { suggest } from '../suggest.js';

export const { isBoxedPrimitive, isDate, isNumberObject, isPromise, isStringObject, isTypedArray } = types;

/** Whether messages can wait on a disk. A constant: a bundler leaves out what it rules out. */
export const HAS_DISK = true;

/** Whether steps can be asked for with `DEBUG`. A constant: a bundler leaves out what it rules out. */
export const HAS_STEPS = true;

/** Bytes that text is written into. */
export type Bytes = Buffer<ArrayBuffer>;

/** Of undefined content. */
export const allocate = (bytes: number): Bytes => Buffer.allocUnsafeSlow(bytes);

/** The bytes of a text in UTF-8. */
export const byteLength = (text: string): number => Buffer.byteLength(text);

/** Writes UTF-8; returns how many bytes that were. The caller has made room for all of them. */
export const write = (target: Bytes, text: string, at: number): number => target.write(text, at);

/** The same for a text that is ASCII. */
export const writeAscii = (target: Bytes, text: string, at: number): number => target.write(text, at, 'latin1');

/** The text of bytes that are UTF-8. */
export const decode = (bytes: Bytes): string => bytes.toString();

/** Base64 of a text in UTF-8. */
export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A timer that does not keep the program alive. Returns what cancels it. */
export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

/** Calls `act` when the event loop has gone round. */
export const nextTurn = (act: () => void): unknown => setImmediate(act);

/** `80A1…:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/…:350:`: only the reason means anything. */
const OPENSSL_ERROR = /[\dA-F]+:error:[\dA-F]+:[^:]*:[^:]*:([^:]+).*$/s;

/** What a message of the system says, without what means nothing to its reader. */
export const reasonOf = (message: string): string => message.replace(OPENSSL_ERROR, '$1');
