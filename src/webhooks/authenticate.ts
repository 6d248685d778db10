import type { HeaderLookup } from '../signature/headers.js';
import { verify } from '../signature/sign.js';
import { verifyStandard } from '../signature/standard.js';
import { RefusedError } from './receiver-errors.js';
import type { ResolvedOptions } from './receiver-options.js';

type Authentication = Pick<ResolvedOptions, 'secrets' | 'accept' | 'tolerance' | 'now'>;

/** The fields that a valid signature covers besides the body. */
export interface Voucher {
  /** The `webhook-id`, if it is signed. */
  readonly webhookId: string | undefined;
}

/**
 * Checks the signature of a delivery.
 *
 * @throws RefusedError with 401 for a missing signature as for a wrong one; only the reason differs
 */
export function authenticate(options: Authentication, header: HeaderLookup, body: Uint8Array): Voucher {
  const { secrets, accept } = options;
  if (secrets === undefined) return { webhookId: undefined };
  if (accept !== 'x-signature' && isStandard(options, secrets, header, body)) {
    return { webhookId: header('webhook-id') };
  }
  if (accept !== 'standard' && verify(body, header('x-signature'), secrets)) return { webhookId: undefined };
  throw new RefusedError(401, reasonFor(accept, header));
}

const isStandard = (options: Authentication, secrets: readonly string[], header: HeaderLookup, body: Uint8Array) =>
  verifyStandard({
    headers: { get: (name) => header(name) ?? null },
    body,
    secrets,
    tolerance: options.tolerance,
    now: options.now(),
  });

const signatureHeaders = {
  'x-signature': ['x-signature'],
  standard: ['webhook-signature'],
  either: ['webhook-signature', 'x-signature'],
} as const;

function reasonFor(accept: ResolvedOptions['accept'], header: HeaderLookup): string {
  const names = signatureHeaders[accept];
  const given = names.filter((name) => header(name) !== undefined);
  if (given.length === 0) return `No ${names.join(' or ')} header`;
  const standard = accept === 'x-signature' ? '' : ', or its id or timestamp is missing or the timestamp too far off';
  return `The ${given.join(' and ')} header is of other bytes or another secret${standard}`;
}
