import { describeThrown } from '../../base/errors/describe-thrown.js';
import { OptionError } from '../../base/errors/errors.js';
import { authorities } from '../../base/options/authorities.js';
import { checkOptions, ownOf, type Rule, type Rules } from '../../base/options/check-options.js';

/** A certificate or a key: PEM, as text or bytes. */
export type Pem = string | Uint8Array;

/** Secures the connection to an https endpoint. It is never shown. */
export interface TlsOptions {
  /** The certificates to trust instead of Node's: the authority's, or a self-signed one itself. */
  ca?: Pem | readonly Pem[] | undefined;
  /** The client's own certificate, with the intermediate certificates. */
  cert?: Pem | undefined;
  /** The key of `cert`. */
  key?: Pem | undefined;
  /** The passphrase of an encrypted `key`. */
  passphrase?: string | undefined;
  /** The name that the collector's certificate must have. @default the endpoint's host */
  servername?: string | undefined;
}

const isPem = (value: unknown): boolean => isText(value) || value instanceof Uint8Array;
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const pem: Rule = { expected: 'PEM, as a string or a Uint8Array', holds: isPem, isSecret: true };
const text: Rule = { expected: 'a non-empty string', holds: isText, isSecret: true };

const RULES: Rules<TlsOptions> = {
  ca: authorities,
  cert: pem,
  key: pem,
  passphrase: text,
  servername: text,
};

/**
 * Returns a copy without undefined values.
 *
 * @throws OptionError if Node cannot secure a connection with it
 */
export function resolveTls(tls: unknown): TlsOptions {
  const given = checkOptions(tls, RULES, { door: 'client', at: 'tls' });
  const defined = Object.entries(given).filter(([, value]) => value !== undefined);
  const resolved: TlsOptions = ownOf(Object.fromEntries(defined));
  if ((resolved.cert === undefined) !== (resolved.key === undefined)) {
    throw new OptionError('client', 'tls', 'given a `cert` and its `key`, or neither', 'one without the other');
  }
  tryOut(resolved);
  return resolved;
}

/** Tries the options once, so that a certificate and key that do not match are refused here, not at each connection. */
function tryOut(tls: TlsOptions): void {
  try {
    process.getBuiltinModule?.('node:tls').createSecureContext(tls as object);
  } catch (error) {
    throw new OptionError(
      'client',
      'tls',
      'what a connection can be secured with',
      `an error: ${describeThrown(error)}`,
    );
  }
}
