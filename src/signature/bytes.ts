import { timingSafeEqual } from 'node:crypto';
import { EventferryError } from '../base/errors/errors.js';

/**
 * Something other than the bytes of a body was to be signed or verified: most often the object a framework had parsed.
 * An object cannot be signed, because writing it as JSON again need not give the bytes that were sent.
 */
export class RawBodyError extends EventferryError {
  override readonly name = 'RawBodyError';
  readonly code = 'EVENTFERRY_WEBHOOKS_RAW_BODY';

  constructor(received: string) {
    super(
      `Expected the body as it came, a Uint8Array or a string, got ${received}. Keep the bytes before anything parses ` +
        "them: express.raw({ type: 'application/json' }) in Express, await request.text() in a web handler",
    );
  }
}

/** The getter of every typed array, which reads what the engine keeps of it. It gives `undefined` for anything else. */
const kindOfTypedArray = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get;

// Not `instanceof`, which does not know the bytes of another realm, such as a test runner's.
export const isRaw = (body: unknown): body is string | Uint8Array =>
  typeof body === 'string' || kindOfTypedArray?.call(body) === 'Uint8Array';

export function assertRaw(body: unknown): asserts body is string | Uint8Array {
  if (isRaw(body)) return;
  throw new RawBodyError(body === null ? 'null' : Array.isArray(body) ? 'an array' : nameOf(body));
}

const nameOf = (body: unknown): string => (typeof body === 'object' ? 'an object' : typeof body);

/**
 * Whether two signatures are the same text, in a time that does not tell how much of them is. Compared as text: decoding
 * would forgive anything after the last good digit. Lengths are public, so they may be compared first.
 */
export function isSameText(given: string, expected: string): boolean {
  const givenBytes = Buffer.from(given);
  const expectedBytes = Buffer.from(expected);
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes);
}
