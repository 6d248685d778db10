import { createHmac } from 'node:crypto';
import { OptionError } from '../base/errors/errors.js';
import { checkNames, elsewhere } from '../base/options/check-options.js';
import { assertRaw, isSameText } from './bytes.js';
import { type HeaderBag, headerLookup } from './headers.js';
import { assertSecret, listSecrets } from './secret.js';

/** How far a `webhook-timestamp` may be from now, either way: 5 minutes. Source: the Standard Webhooks libraries. */
export const TOLERANCE_MS = 300_000;

/** The header's signatures of version 1 that are looked at; more would let a sender make us work. */
const MAX_SIGNATURES = 10;

export interface StandardDelivery {
  /**
   * Names the event, the same on every attempt, so that the receiver can tell a repeated delivery. 1 to 256 visible
   * ASCII characters without a full stop, which would blur where the id ends in what is signed.
   */
  id: string;
  /** The time of this attempt, in whole seconds since 1970. */
  timestampSeconds: number;
  body: string | Uint8Array;
  /** `whsec_` and a key in base64, or any other text, which is the key itself. */
  secret: string;
}

/**
 * The three headers of Standard Webhooks 1.0.0, symmetric: `webhook-id`, `webhook-timestamp` and `webhook-signature`,
 * which is `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. Unlike `X-Signature` they cover the time.
 *
 * @throws RawBodyError when the body is not bytes but, say, the object parsed from them
 * @throws OptionError when the id, the timestamp or the secret is not as described
 */
export function standardHeaders({ id, timestampSeconds, body, secret }: StandardDelivery): Record<string, string> {
  assertRaw(body);
  assertSecret('secret', secret);
  if (!isId(id))
    throw new OptionError('webhooks', 'id', '1 to 256 visible ASCII characters without a full stop', 'another text');
  if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0) {
    throw new OptionError('webhooks', 'timestampSeconds', 'whole seconds since 1970', String(timestampSeconds));
  }
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
  /** Each as in `StandardDelivery`; several while you change from one to the other. */
  secrets: string | readonly string[];
  /** Now, in milliseconds since 1970: `Date.now()`. */
  now: number;
  /** How far the timestamp may be from now, either way, in milliseconds. @default 300_000, 5 minutes */
  tolerance?: number | undefined;
}

const VERIFICATION: readonly string[] = [
  'headers',
  'body',
  'secrets',
  'now',
  'tolerance',
] satisfies (keyof StandardVerification)[];

const advise = elsewhere({
  nowSeconds: '`now`, in milliseconds',
  toleranceSeconds: '`tolerance`, in milliseconds',
});

/**
 * Whether the Standard Webhooks headers are there, in time, and one of their `v1` signatures is right under one of the
 * secrets. Signatures of other versions are passed over.
 *
 * @throws RawBodyError when the body is not bytes but, say, the object parsed from them
 * @throws OptionError when there is no secret, when one is empty or `whsec_` without valid base64, and for an unknown option
 */
export function verifyStandard(options: StandardVerification): boolean {
  checkNames(options, VERIFICATION, { door: 'webhooks', advise });
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

/** @throws OptionError as `verifyStandard` would, so that a wrong secret is found before a delivery comes */
export function assertStandardSecrets(secrets: string | readonly string[]): void {
  keysOf(secrets);
}

const keysOf = (secrets: string | readonly string[]): (string | Uint8Array)[] =>
  listSecrets(secrets).map((secret) => keyOf(secret, 'secrets'));

const isId = (id: string): boolean => /^[!-\-/-~]{1,256}$/.test(id);

// No comparison with NaN holds, so a clock or a tolerance that is no number lets nothing through.
const isInTime = (timestamp: string, now: number, tolerance: number): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp) * 1_000) <= tolerance;

const signaturesOf = (header: string): string[] =>
  header
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .slice(0, MAX_SIGNATURES)
    .map((signature) => signature.slice('v1,'.length));

/** The key's bytes. Node's decoder passes over what is not base64 and would leave an empty key, which anyone knows. */
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
