import type { HeaderLookup } from '../signature/headers.js';
import type { Voucher } from '../signature/scheme.js';
import { type AcceptedScheme, verifyAny } from '../signature/schemes.js';
import { RefusedError } from './receiver-errors.js';
import type { ResolvedReceiverOptions } from './receiver-options.js';

type Authentication = Pick<ResolvedReceiverOptions, 'accepted' | 'tolerance' | 'now'>;

/**
 * Checks the signature of a delivery.
 *
 * @throws RefusedError with 401 if the signature is missing or wrong; only the reason tells the two apart
 */
export function authenticate(options: Authentication, header: HeaderLookup, body: Uint8Array): Voucher {
  const { accepted, tolerance } = options;
  if (accepted === undefined) return { id: undefined };
  const voucher = verifyAny(accepted, { header, body, tolerance, now: options.now() });
  if (voucher !== undefined) return voucher;
  throw new RefusedError(401, reasonFor(accepted, header));
}

function reasonFor(accepted: readonly AcceptedScheme[], header: HeaderLookup): string {
  const given = accepted.filter(({ scheme }) => header(scheme.signatureHeader) !== undefined);
  const namesIn = (list: readonly AcceptedScheme[]) => list.map(({ scheme }) => scheme.signatureHeader);
  if (given.length === 0) return `No ${namesIn(accepted).join(' or ')} header`;
  const otherFaults = accepted.map(({ scheme }) => scheme.otherFaults).join('');
  return `The ${namesIn(given).join(' and ')} header does not match: the body or the secret is another one${otherFaults}`;
}
