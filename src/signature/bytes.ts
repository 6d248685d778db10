import { timingSafeEqual } from 'node:crypto';
import { EventferryError } from '../base/errors/errors.js';
import { kindOf } from '../base/text/describe.js';

const PARSED =
  "Keep the bytes before anything parses them: express.raw({ type: 'application/json' }) in Express, await request.text() in a web handler";
const UNREAD = 'Pass its bytes: new Uint8Array(await new Response(body).arrayBuffer())';
const VIEW = 'Pass its bytes: new Uint8Array(body.buffer, body.byteOffset, body.byteLength)';

/** What to do with a body of another kind. @default `PARSED` */
const ADVICE: Readonly<Record<string, string>> = {
  'an ArrayBuffer': 'Pass its bytes: new Uint8Array(body)',
  'a SharedArrayBuffer': 'Pass its bytes: new Uint8Array(body)',
  'a DataView': VIEW,
  'a Promise': 'Await it first',
  'a Blob': UNREAD,
  'a File': UNREAD,
  'a ReadableStream': UNREAD,
};

/**
 * The body to sign or verify was not bytes: most often it was the object that a framework had parsed. An object cannot
 * be signed, because writing it as JSON again may not give the bytes that were sent.
 */
export class RawBodyError extends EventferryError {
  override readonly name = 'RawBodyError';
  readonly code = 'EVENTFERRY_WEBHOOKS_RAW_BODY';

  constructor(body: unknown) {
    const kind = kindOf(body);
    const advice = kindOfTypedArray?.call(body) !== undefined ? VIEW : (ADVICE[kind] ?? PARSED);
    super(`Expected the body as it came, a Uint8Array or a string, got ${kind}. ${advice}`);
  }
}

/** The getter of typed arrays that reads their kind from the engine. It returns `undefined` for anything else. */
const kindOfTypedArray = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get;

// `instanceof` does not recognise bytes from another realm, such as a test runner's.
export const isRaw = (body: unknown): body is string | Uint8Array =>
  typeof body === 'string' || kindOfTypedArray?.call(body) === 'Uint8Array';

export function assertRaw(body: unknown): asserts body is string | Uint8Array {
  if (isRaw(body)) return;
  throw new RawBodyError(body);
}

/**
 * Compares two signatures in constant time. It compares text, because decoding would ignore anything after the last
 * valid digit. Lengths are public, so they may be compared first.
 */
export function isSameText(given: string, expected: string): boolean {
  const givenBytes = Buffer.from(given);
  const expectedBytes = Buffer.from(expected);
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes);
}
