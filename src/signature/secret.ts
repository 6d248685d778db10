import { OptionError } from '../base/errors/errors.js';
import { kindOf } from '../base/text/describe.js';
import type { SecretFault } from './scheme.js';

const EXPECTED = 'a non-empty string';
const EXPECTED_SECRETS = `${EXPECTED}, or an array of them`;

/** Matches whole bytes in base64, with all of their padding or none. */
export const BASE64 = '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?';

/**
 * Mistakes in a secret that nobody would notice: the two ends would then compute different signatures, or the secret would be one
 * that anyone can guess. The first that matches determines the error.
 */
const SLIPS: readonly (readonly [slip: RegExp, received: string, hint?: string | undefined, expected?: string])[] = [
  [/^$/, 'an empty string'],
  [/^\s+$/, 'nothing but white space'],
  [/^\s|\s$/, 'a text with white space around it', 'Remove the line break or the blanks at its ends'],
  [
    /^\p{Cf}|\p{Cf}$/u,
    'a text with an invisible character at an end',
    'Type the secret, or copy it from another place',
  ],
  [/^(["'`]).*\1$|^["'`]wh|^[\u2018-\u201d]|[\u2018-\u201d]$/s, 'a text in quotes', 'Remove the quotes'],
  [
    /^(?:undefined|null|None|nil|NaN|\[object .*\]|\$\{.*\}|\{\{.*\}\}|<%.*%>)$/s,
    'the text of a missing value',
    'Look for the variable that was not set',
  ],
  [/^v1a?,/i, 'a signature', 'It is the value of a `webhook-signature` header; the secret begins with `whsec_`'],
  [/.whsec_/is, 'a text before `whsec_`', 'Remove all that comes before it'],
  [
    /^whpk_/i,
    'a public key',
    'Anyone may know a public key, so it cannot be a secret. Signatures of version v1a are not supported',
  ],
  [
    /^whsk_/i,
    'a private key for signatures of version v1a',
    'They are not supported; use a secret that begins with `whsec_`',
  ],
  [/^(?!whsec_)[Ww][Hh][Ss][Ee][Cc]_/, 'a prefix that is not in lower case', 'Write `whsec_` in lower case'],
  [new RegExp(`^whsec_(?!(?=.)${BASE64}$)`), 'something else', undefined, 'base64 after `whsec_`'],
];

/**
 * Returns the secrets as a list. Errors never contain a secret.
 *
 * @throws OptionError if there is none, or if anyone could know one of them, or its owner cannot have meant it
 */
export function listSecrets(secrets: string | readonly string[], option = 'secrets'): readonly string[] {
  const list = typeof secrets === 'string' ? [secrets] : secrets;
  if (!Array.isArray(list)) throw new OptionError('webhooks', option, EXPECTED_SECRETS, kindOf(secrets));
  if (list.length === 0) throw new OptionError('webhooks', option, EXPECTED_SECRETS, 'an empty array');
  for (const secret of list) assertSecret(option, secret, EXPECTED_SECRETS);
  return [...list];
}

/** @throws OptionError if anyone could know the secret, or its owner cannot have meant it */
export function assertSecret(option: string, secret: unknown, expected = EXPECTED): asserts secret is string {
  assertNoFault(option, slipIn(secret, expected));
}

/** @throws OptionError for a fault */
export function assertNoFault(option: string, fault: SecretFault | undefined): void {
  if (fault !== undefined) throw new OptionError('webhooks', option, fault.expected, fault.received, fault.hint);
}

/** Returns what is wrong with a secret that anyone could know or that its owner did not mean; undefined for a good one. */
export function slipIn(secret: unknown, expected = EXPECTED): SecretFault | undefined {
  if (typeof secret !== 'string') return { expected, received: kindOf(secret) };
  const [, received, hint, wanted = expected] = SLIPS.find(([slip]) => slip.test(secret)) ?? [];
  return received === undefined ? undefined : { expected: wanted, received, hint };
}
