import { decodeUtf8, isJsonObject, parseJson } from '../decode.js';
import type { Answer } from './answers.js';

/** A request that came, and its answer. */
export interface Delivery {
  /** From 1. */
  readonly number: number;
  readonly receivedAt: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
  /** Whether the body was longer than what is kept. */
  readonly isCut: boolean;
  readonly answer: Answer;
}

/** Whether a signature holds; `unchecked` when there is no secret to check it with. */
export type SignatureVerdict = 'valid' | 'invalid' | 'missing' | 'unchecked';

/** `verify` of src/signature, passed in. */
export type Verify = (body: Uint8Array, signature: string, secrets: readonly string[]) => boolean;

export function signatureVerdict(
  { headers, body, isCut }: Delivery,
  secrets: readonly string[],
  verify: Verify,
): SignatureVerdict {
  if (secrets.length === 0) return 'unchecked';
  const signature = headers['x-signature'];
  if (signature === undefined || signature === '') return 'missing';
  return !isCut && typeof signature === 'string' && verify(body, signature, secrets) ? 'valid' : 'invalid';
}

/** The message in the body; undefined when the body is not a JSON object. */
export function messageIn(body: Uint8Array): Record<string, unknown> | undefined {
  const value = parseJson(decodeUtf8(body) ?? '');
  return isJsonObject(value) ? value : undefined;
}
