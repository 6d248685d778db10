import type { Rule } from '../base/options/check-options.js';
import type { HeaderLookup } from './headers.js';
import type { IncomingDelivery, SecretFault, SignatureScheme, Voucher } from './scheme.js';
import { assertNoFault, slipIn } from './secret.js';
import { standard } from './standard.js';
import { xSignature } from './x-signature.js';

/** The signature schemes by name. A receiver that accepts several tries them in this order: those that sign the time first. */
export const schemes = {
  standard,
  'x-signature': xSignature,
} as const satisfies Record<string, SignatureScheme>;

/** `x-signature` is the HMAC-SHA1 of the body. `standard` means the three headers of Standard Webhooks. */
export type SignatureSchemeName = keyof typeof schemes;

export const SCHEME_NAMES = Object.keys(schemes) as SignatureSchemeName[];

/** The schemes that a sender uses and a receiver accepts if none are given. */
export const DEFAULT_SCHEMES: readonly SignatureSchemeName[] = ['x-signature'];

/** The names and meanings of all schemes, for documents. */
export const SCHEME_MEANINGS = SCHEME_NAMES.map((name) => `\`${name}\`, ${schemes[name].meaning}`).join('; ');

/** The names of the schemes that sign the id and the time, for sentences. */
export const TIMED_SCHEMES = SCHEME_NAMES.filter((name) => schemes[name].signsTime).join(' or ');

/** Returns the names of the schemes whose signature is among the headers. */
export const schemesIn = (header: HeaderLookup): SignatureSchemeName[] =>
  SCHEME_NAMES.filter((name) => Boolean(header(schemes[name].signatureHeader)));

/** Returns the schemes with these names, in the order of `schemes`. */
export const schemesOf = (names: readonly SignatureSchemeName[]): readonly SignatureScheme[] =>
  SCHEME_NAMES.filter((name) => names.includes(name)).map((name) => schemes[name]);

/** The rule for an option that lists schemes. */
export const SCHEME_LIST: Rule = {
  expected: `a list of one or more of ${SCHEME_NAMES.map((name) => `'${name}'`).join(' and ')}, each once`,
  holds: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every((name) => SCHEME_NAMES.includes(name as SignatureSchemeName)),
};

/** Returns the reason why a sender cannot sign with these schemes and this secret; undefined if it can. */
export const faultInSigningSecret = (secret: unknown, signing: readonly SignatureScheme[]): SecretFault | undefined =>
  // `slipIn` finds a slip in everything but text.
  slipIn(secret) ??
  signing.map((scheme) => scheme.faultInSecret(secret as string, 'sender')).find((fault) => fault !== undefined);

/** A scheme that a receiver accepts, with those of the receiver's secrets that the scheme can use. */
export interface AcceptedScheme {
  readonly scheme: SignatureScheme;
  readonly secrets: readonly string[];
}

/**
 * Finds the secrets that each scheme can use. While the sender changes from one scheme to another, some secrets suit only
 * one of them.
 *
 * @throws OptionError if no secret suits one of the schemes, or no scheme can use one of the secrets
 */
export function acceptedSchemes(
  names: readonly SignatureSchemeName[],
  secrets: readonly string[],
  option = 'secrets',
): readonly AcceptedScheme[] {
  const schemes = schemesOf(names);
  for (const scheme of schemes) {
    const unused = secrets.find((secret) => !schemes.some((each) => canUse(each, secret)));
    const wrong = unused ?? (secrets.some((secret) => canUse(scheme, secret)) ? undefined : secrets[0]);
    if (wrong !== undefined) assertNoFault(option, scheme.faultInSecret(wrong, 'receiver'));
  }
  return usableSchemes(names, secrets);
}

/** Returns those of the schemes that can use one of the secrets. */
export const usableSchemes = (
  names: readonly SignatureSchemeName[],
  secrets: readonly string[],
): readonly AcceptedScheme[] =>
  schemesOf(names)
    .map((scheme) => ({ scheme, secrets: secrets.filter((secret) => canUse(scheme, secret)) }))
    .filter(({ secrets }) => secrets.length > 0);

const canUse = (scheme: SignatureScheme, secret: string): boolean =>
  scheme.faultInSecret(secret, 'receiver') === undefined;

/** Returns what the first valid signature covers; undefined if none is valid. */
export function verifyAny(accepted: readonly AcceptedScheme[], delivery: IncomingDelivery): Voucher | undefined {
  for (const { scheme, secrets } of accepted) {
    const voucher = scheme.verify(delivery, secrets);
    if (voucher !== undefined) return voucher;
  }
  return undefined;
}
