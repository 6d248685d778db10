import { createHmac } from 'node:crypto';
import { assertRaw, isSameText } from './bytes.js';
import { assertSecret, listSecrets } from './secret.js';

/**
 * The `X-Signature` of a body: HMAC-SHA1 over its exact bytes, in lower-case hexadecimal. A string stands for its UTF-8
 * bytes, and so does the secret.
 *
 * @throws RawBodyError when the body is not bytes but, say, the object parsed from them
 * @throws OptionError when the secret is empty
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
 * Whether `signature` is the one of these bytes under one of the secrets. Give the old and the new secret while you
 * change from one to the other. A missing signature is a wrong one.
 *
 * @throws RawBodyError when the body is not bytes but, say, the object parsed from them
 * @throws OptionError when there is no secret, or an empty one
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
  const list = listSecrets(secrets);
  if (typeof signature !== 'string') return false;
  return list.some((secret) => isSameText(signature, hmacSha1(body, secret)));
}

const hmacSha1 = (body: string | Uint8Array, secret: string): string =>
  createHmac('sha1', secret).update(body).digest('hex');
