import { kindOf } from '../../describe.js';
import { describeThrown } from '../../describe-thrown.js';
import { OptionError } from '../../errors.js';

/** A certificate or a key: PEM, as text or bytes. */
export type Pem = string | Uint8Array;

/** How the connection to an https endpoint is secured. Never shown. */
export interface TlsOptions {
  /** The certificates to trust, in place of those Node trusts: the authority's, or a self-signed one itself. */
  ca?: Pem | readonly Pem[] | undefined;
  /** The client's own certificate, with those between it and its authority. */
  cert?: Pem | undefined;
  /** The key of `cert`. */
  key?: Pem | undefined;
  /** What `key` is encrypted with. */
  passphrase?: string | undefined;
  /** The name the collector's certificate is made out to. @default the endpoint's host */
  servername?: string | undefined;
}

const isPem = (value: unknown): boolean => typeof value === 'string' || value instanceof Uint8Array;
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const PEM = 'PEM, as a string or a Uint8Array';
const FIELDS: Record<keyof TlsOptions, readonly [holds: (value: unknown) => boolean, expected: string]> = {
  ca: [(value) => isPem(value) || (Array.isArray(value) && value.every(isPem)), `${PEM}, or a list of them`],
  cert: [isPem, PEM],
  key: [isPem, PEM],
  passphrase: [isText, 'a non-empty string'],
  servername: [isText, 'a non-empty string'],
};

/**
 * A copy without what is undefined.
 *
 * @throws OptionError when it is not one that Node can secure a connection with
 */
export function resolveTls(tls: unknown): TlsOptions {
  if (typeof tls !== 'object' || tls === null) throw new OptionError('tls', 'an object', kindOf(tls));
  const given = Object.entries(tls).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (!Object.hasOwn(FIELDS, name)) {
      throw new OptionError(`tls.${name}`, `one of ${Object.keys(FIELDS).join(', ')}`, 'a name that is none');
    }
    const [holds, expected] = FIELDS[name as keyof TlsOptions];
    if (!holds(value)) throw new OptionError(`tls.${name}`, expected, kindOf(value));
  }
  const resolved: TlsOptions = Object.fromEntries(given);
  if ((resolved.cert === undefined) !== (resolved.key === undefined)) {
    throw new OptionError('tls', 'given a `cert` and its `key`, or neither', 'one without the other');
  }
  tryOut(resolved);
  return resolved;
}

/** What does not fit is said here, and not by each connection for as long as batches are repeated. */
function tryOut(tls: TlsOptions): void {
  try {
    process.getBuiltinModule?.('node:tls').createSecureContext(tls as object);
  } catch (error) {
    throw new OptionError('tls', 'what a connection can be secured with', `an error: ${describeThrown(error)}`);
  }
}
