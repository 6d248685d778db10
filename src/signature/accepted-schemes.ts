import type { IncomingDelivery, SignatureScheme, Voucher } from './scheme.js';
import { type SignatureSchemeName, schemesOf } from './schemes.js';
import { assertNoFault } from './secret.js';

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
    if (wrong !== undefined) assertNoFault('webhooks', option, scheme.faultInSecret(wrong, 'receiver'));
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
