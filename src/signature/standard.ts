import { createHash, createHmac } from 'node:crypto';
import { anything, checkOptions, elsewhere, type Rule, type Rules, required } from '../base/options/check-options.js';
import { assertRaw, isSameText } from './bytes.js';
import { type HeaderBag, headerLookup } from './headers.js';
import type { IncomingDelivery, SecretFault, SignatureScheme } from './scheme.js';
import { assertNoFault, assertSecret, BASE64, listSecrets } from './secret.js';

/** The maximum difference between `webhook-timestamp` and now: 5 minutes, as in the Standard Webhooks libraries. */
export const TOLERANCE_MS = 300_000;

/** The maximum number of signatures of version 1 that are checked, so that a header with many of them costs little work. */
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
  /** `whsec_` and 24 to 64 bytes in base64. */
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
  const own = checkOptions(delivery, DELIVERY, { door: 'webhooks' });
  assertRaw(own.body);
  assertSecret('secret', own.secret);
  assertNoFault('secret', faultInKey(own.secret, 'sender'));
  return headersOf(own);
}

/** Signs without checking its arguments again, because it is called for every delivery. */
function headersOf({ id, timestampSeconds, body, secret }: StandardDelivery): Record<string, string> {
  const timestamp = String(timestampSeconds);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${hmacSha256(`${id}.${timestamp}.`, body, keyOf(secret))}`,
  };
}

export interface StandardVerification {
  headers: HeaderBag;
  body: string | Uint8Array;
  /**
   * One or more secrets: a key in base64, with or without `whsec_` before it. Give several while you change from one to
   * another.
   */
  secrets: string | readonly string[];
  /** Now, in milliseconds since 1970: `Date.now()`. */
  now: number;
  /** The maximum difference between the timestamp and now, in ms, in either direction. @default 300_000, 5 minutes */
  tolerance?: number | undefined;
}

const ms: Rule = { expected: 'a number of milliseconds', holds: (value) => typeof value === 'number' };

const VERIFICATION: Rules<StandardVerification> = {
  headers: required(anything),
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
 * Returns whether the Standard Webhooks headers are present and the timestamp is within the tolerance, and one of their `v1`
 * signatures matches under one of the secrets. Signatures of other versions are ignored.
 *
 * @throws RawBodyError if the body is neither bytes nor a string, for example the parsed object
 * @throws OptionError if there is no secret, if one is not a key in base64, or for an unknown option
 */
export function verifyStandard(options: StandardVerification): boolean {
  const check = { door: 'webhooks', advise } as const;
  const { headers, body, secrets, now, tolerance = TOLERANCE_MS } = checkOptions(options, VERIFICATION, check);
  const header = headerLookup(headers);
  assertRaw(body);
  const list = listSecrets(secrets);
  for (const secret of list) assertNoFault('secrets', faultInKey(secret, 'receiver'));
  return idOf({ header, body, now, tolerance }, list) !== undefined;
}

/** Returns the id that the signature covers, if the timestamp is within the tolerance and one of the secrets matches. */
function idOf({ header, body, now, tolerance }: IncomingDelivery, secrets: readonly string[]): string | undefined {
  const id = header('webhook-id');
  const timestamp = header('webhook-timestamp');
  const signatures = header('webhook-signature');
  if (id === undefined || timestamp === undefined || signatures === undefined) return undefined;
  if (!isId(id) || !isInTime(timestamp, now, tolerance)) return undefined;
  const given = signaturesOf(signatures);
  const isSigned = secrets.some((secret) => {
    const expected = hmacSha256(`${id}.${timestamp}.`, body, keyOf(secret));
    return given.some((signature) => isSameText(signature, expected));
  });
  return isSigned ? id : undefined;
}

/** The three headers of Standard Webhooks 1.0.0 with a symmetric key. */
export const standard: SignatureScheme = {
  meaning: 'the three headers of Standard Webhooks',
  headers: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  signatureHeader: 'webhook-signature',
  signsTime: true,
  otherFaults: ', or its id or timestamp is missing or the timestamp too far off',
  sign: ({ id, body, now }, secret) =>
    headersOf({ id: headerId(id), timestampSeconds: Math.floor(now / 1_000), body, secret }),
  verify(delivery, secrets) {
    const id = idOf(delivery, secrets);
    return id === undefined ? undefined : { id };
  },
  faultInSecret: faultInKey,
};

/** A message's id may be any text, but a `webhook-id` may not, so other ids are replaced by their hash. */
const headerId = (id: string): string => (isId(id) ? id : createHash('sha256').update(id).digest('hex'));

const isId = (id: string): boolean => /^[!-\-/-~]{1,256}$/.test(id);

// Every comparison with NaN is false, so a clock or tolerance that is not a number accepts nothing.
const isInTime = (timestamp: string, now: number, tolerance: number): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp) * 1_000) <= tolerance;

// Blanks separate signatures. A comma with a blank separates two headers of that name that were joined.
const signaturesOf = (header: string): string[] =>
  header
    .split(/,? /)
    .filter((signature) => signature.startsWith('v1,'))
    .slice(0, MAX_SIGNATURES)
    .map((signature) => signature.slice('v1,'.length));

/** The length in bytes of a sender's key. Source: Standard Webhooks 1.0.0, "Signature scheme". */
const SENDER_BYTES = { least: 24, most: 64 };
/** Some senders have keys that are shorter than that. One below this length could be guessed, or is a text that is not a key. */
const LEAST_RECEIVER_BYTES = 16;

/**
 * A sender's secret begins with `whsec_`; a receiver also accepts the same key without it, as most libraries of Standard
 * Webhooks do. Node's decoder skips what is not base64 and could leave an empty key, which anyone knows.
 */
function faultInKey(secret: string, end: 'sender' | 'receiver'): SecretFault | undefined {
  const isPrefixed = secret.startsWith(PREFIX);
  const isSender = end === 'sender';
  const expected = isSender
    ? `\`${PREFIX}\` and ${SENDER_BYTES.least} to ${SENDER_BYTES.most} bytes in base64`
    : `a key of ${LEAST_RECEIVER_BYTES} bytes or more in base64, with \`${PREFIX}\` or without`;
  if (isSender && !isPrefixed) return { expected, received: 'a text without that prefix', hint: MAKE_ONE };
  const encoded = isPrefixed ? secret.slice(PREFIX.length) : secret;
  if (!IS_BASE64.test(encoded)) return { expected, received: 'something else', hint: MAKE_ONE };
  const { length } = Buffer.from(encoded, 'base64');
  const isLengthRight = isSender
    ? length >= SENDER_BYTES.least && length <= SENDER_BYTES.most
    : length >= LEAST_RECEIVER_BYTES;
  return isLengthRight ? undefined : { expected, received: `a key of ${length} bytes`, hint: MAKE_ONE };
}

const PREFIX = 'whsec_';
const IS_BASE64 = new RegExp(`^${BASE64}$`);
const MAKE_ONE = 'Make one with `echo "whsec_$(openssl rand -base64 32)"`';

/** Returns the bytes of a key in which `faultInKey` found nothing. */
const keyOf = (secret: string): Uint8Array =>
  Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');

const hmacSha256 = (prefix: string, body: string | Uint8Array, key: Uint8Array): string =>
  createHmac('sha256', key).update(prefix).update(body).digest('base64');
