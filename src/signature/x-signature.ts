import { createHmac } from 'node:crypto';
import { assertRaw, isSameText } from './bytes.js';
import type { SignatureScheme } from './scheme.js';
import { assertSecret, listSecrets } from './secret.js';

/**
 * Returns the `X-Signature` of a body: HMAC-SHA1 over its exact bytes, in lower-case hexadecimal. A string is encoded as UTF-8.
 *
 * @throws RawBodyError if the body is neither bytes nor a string, for example the parsed object
 * @throws OptionError if the secret is empty, blank or evidently a mistake
 *
 * @example
 * sign('{"type":"track"}', 'shhh'); // 'dcfe4daa3996d393f746d4c978859203c949665d'
 */
export function sign(body: string | Uint8Array, secret: string): string {
  assertRaw(body);
  assertSecret('secret', secret);
  return hmacSha1(body, secret);
}

/**
 * Returns whether `signature` matches these bytes under one of the secrets. While you change from one secret to
 * another, give both. A missing signature never matches.
 *
 * @throws RawBodyError if the body is neither bytes nor a string, for example the parsed object
 * @throws OptionError if there is no secret, or if `sign` would refuse one of them
 *
 * @example
 * verify(rawBody, request.headers['x-signature'], [newSecret, oldSecret]);
 */
export function verify(
  body: string | Uint8Array,
  signature: string | null | undefined,
  secrets: string | readonly string[],
): boolean {
  assertRaw(body);
  return isSigned(body, signature, listSecrets(secrets));
}

const isSigned = (
  body: string | Uint8Array,
  signature: string | null | undefined,
  secrets: readonly string[],
): boolean => typeof signature === 'string' && secrets.some((secret) => isSameText(signature, hmacSha1(body, secret)));

const hmacSha1 = (body: string | Uint8Array, secret: string): string =>
  createHmac('sha1', secret).update(body).digest('hex');

/** The HMAC-SHA1 of the body. The key is the text of the secret, unchanged. */
export const xSignature: SignatureScheme = {
  meaning: 'the HMAC-SHA1 of the body',
  headers: ['x-signature'],
  signatureHeader: 'x-signature',
  signsTime: false,
  otherFaults: '',
  sign: ({ body }, secret) => ({ 'x-signature': hmacSha1(body, secret) }),
  verify: ({ header, body }, secrets) =>
    isSigned(body, header('x-signature'), secrets) ? { id: undefined } : undefined,
  faultInSecret: () => undefined,
};
