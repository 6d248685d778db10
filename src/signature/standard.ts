import { createHmac } from 'node:crypto';
import { OptionError } from '../base/errors/errors.js';
import {
  anything,
  checkOptions,
  elsewhere,
  notNull,
  type Rule,
  type Rules,
  required,
} from '../base/options/check-options.js';
import { assertRaw, isSameText } from './bytes.js';
import { type HeaderBag, headerLookup } from './headers.js';
import { assertSecret, listSecrets } from './secret.js';

/** A `webhook-timestamp` may be so far from now in either direction: 5 minutes, as in the Standard Webhooks libraries. */
export const TOLERANCE_MS = 300_000;

/** The most signatures of version 1 that are checked. More would let a sender cost us work. */
const MAX_SIGNATURES = 10;

export interface StandardDelivery {
  /**
   * The event's id, the same on every attempt, so that the receiver can recognise a repeated delivery. 1 to 256 visible
   * ASCII characters without a full stop, which separates the signed parts.
   */
  id: string;
  /** The time of this attempt, in whole seconds since 1970. */
  timestampSeconds: number;
  body: string | Uint8Array;
  /** `whsec_` and a key in base64, or any other text, which is the key itself. */
  secret: string;
}

const DELIVERY: Rules<StandardDelivery> = {
  id: required({
    expected: '1 to 256 visible ASCII characters without a full stop',
    holds: (value) => typeof value === 'string' && isId(value),
  }),
  timestampSeconds: required({
    expected: 'whole seconds since 1970',
    holds: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  }),
  body: required(anything),
  secret: required(anything),
};

/**
 * Returns the three headers of Standard Webhooks 1.0.0 with a symmetric key: `webhook-id`, `webhook-timestamp` and
 * `webhook-signature`, which is `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. Unlike `X-Signature`,
 * they also sign the time.
 *
 * @throws RawBodyError if the body is neither bytes nor a string, for example the parsed object
 * @throws OptionError if the id, the timestamp or the secret is not as described
 */
export function standardHeaders(delivery: StandardDelivery): Record<string, string> {
  checkOptions(delivery, DELIVERY, { door: 'webhooks' });
  const { id, timestampSeconds, body, secret } = delivery;
  assertRaw(body);
  assertSecret('secret', secret);
  const timestamp = String(timestampSeconds);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${hmacSha256(`${id}.${timestamp}.`, body, keyOf(secret, 'secret'))}`,
  };
}

export interface StandardVerification {
  headers: HeaderBag;
  body: string | Uint8Array;
  /** One or more secrets, each as in `StandardDelivery`. Give several while you change from one to another. */
  secrets: string | readonly string[];
  /** Now, in milliseconds since 1970: `Date.now()`. */
  now: number;
  /** The timestamp may be so many ms from now, in either direction. @default 300_000, 5 minutes */
  tolerance?: number | undefined;
}

const ms: Rule = { expected: 'a number of milliseconds', holds: (value) => typeof value === 'number' };

const VERIFICATION: Rules<StandardVerification> = {
  headers: required(notNull),
  body: required(anything),
  secrets: required(anything),
  now: required(ms),
  tolerance: ms,
};

const advise = elsewhere({
  nowSeconds: '`now`, in milliseconds',
  toleranceSeconds: '`tolerance`, in milliseconds',
});

/**
 * Returns whether the Standard Webhooks headers are present and in time, and one of their `v1` signatures matches under
 * one of the secrets. Signatures of other versions are ignored.
 *
 * @throws RawBodyError if the body is neither bytes nor a string, for example the parsed object
 * @throws OptionError if there is no secret, if one is empty or `whsec_` without valid base64, or for an unknown option
 */
export function verifyStandard(options: StandardVerification): boolean {
  checkOptions(options, VERIFICATION, { door: 'webhooks', advise });
  const { headers, body, secrets, now, tolerance = TOLERANCE_MS } = options;
  assertRaw(body);
  const keys = keysOf(secrets);
  const header = headerLookup(headers);
  const id = header('webhook-id');
  const timestamp = header('webhook-timestamp');
  const signatures = header('webhook-signature');
  if (id === undefined || timestamp === undefined || signatures === undefined) return false;
  if (!isId(id) || !isInTime(timestamp, now, tolerance)) return false;
  const given = signaturesOf(signatures);
  return keys.some((key) => {
    const expected = hmacSha256(`${id}.${timestamp}.`, body, key);
    return given.some((signature) => isSameText(signature, expected));
  });
}

/**
 * Checks the secrets before the first delivery.
 *
 * @throws OptionError as `verifyStandard` would
 */
export function assertStandardSecrets(secrets: string | readonly string[]): void {
  keysOf(secrets);
}

const keysOf = (secrets: string | readonly string[]): (string | Uint8Array)[] =>
  listSecrets(secrets).map((secret) => keyOf(secret, 'secrets'));

const isId = (id: string): boolean => /^[!-\-/-~]{1,256}$/.test(id);

// Every comparison with NaN is false, so a clock or tolerance that is not a number accepts nothing.
const isInTime = (timestamp: string, now: number, tolerance: number): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp) * 1_000) <= tolerance;

const signaturesOf = (header: string): string[] =>
  header
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .slice(0, MAX_SIGNATURES)
    .map((signature) => signature.slice('v1,'.length));

/** Returns the key's bytes. Node's decoder skips what is not base64 and could leave an empty key, which anyone knows. */
function keyOf(secret: string, option: string): string | Uint8Array {
  if (!secret.startsWith('whsec_')) return secret;
  const encoded = secret.slice('whsec_'.length);
  if (!/^[A-Za-z0-9+/]{2,}={0,2}$/.test(encoded)) {
    throw new OptionError('webhooks', option, 'base64 after `whsec_`', 'something else');
  }
  return Buffer.from(encoded, 'base64');
}

const hmacSha256 = (prefix: string, body: string | Uint8Array, key: string | Uint8Array): string =>
  createHmac('sha256', key).update(prefix).update(body).digest('base64');
