import { kindOf } from '../text/describe.js';
import type { Rule } from './check-options.js';

/**
 * The certificates of trusted authorities. They are checked here because Node silently skips a text without a certificate and
 * drops everything after a damaged one, so the mistake would only show when every later connection fails.
 */
export const authorities: Rule = {
  expected: 'PEM with at least one certificate, as a string or a Uint8Array, or a list of those',
  holds: (value) => flawOf(value) === undefined,
  isSecret: true,
  describe: (value) => flawOf(value) ?? { received: kindOf(value) },
};

interface Flaw {
  readonly received: string;
  readonly hint?: string;
}

function flawOf(value: unknown): Flaw | undefined {
  if (!Array.isArray(value)) return flawOfPem(value);
  if (value.length === 0) return { received: 'an empty list' };
  for (const [index, entry] of value.entries()) {
    const flaw = flawOfPem(entry);
    if (flaw !== undefined) return { ...flaw, received: `a list whose entry ${index} is ${flaw.received}` };
  }
  return undefined;
}

/** Node looks for these words at the start of a line and accepts each of these names. */
const CERTIFICATE = /^-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----/;

function flawOfPem(value: unknown): Flaw | undefined {
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) return { received: kindOf(value) };
  const text = typeof value === 'string' ? value.replace(/^\uFEFF/, '') : new TextDecoder().decode(value);
  const certificates = text.split(/^(?=-----BEGIN )/m).filter((block) => CERTIFICATE.test(block));
  if (certificates.length === 0) return flawOfOther(value, text);
  const wrong = certificates.findIndex((block) => !isReadable(block));
  if (wrong === -1) return undefined;
  return { received: `PEM whose certificate ${wrong + 1} of ${certificates.length} cannot be read` };
}

function flawOfOther(value: unknown, text: string): Flaw {
  const [, type] = /^-----BEGIN ([A-Z0-9 ]{1,40})-----/m.exec(text) ?? [];
  if (type !== undefined) return { received: `PEM of type ${type}` };
  const mayBePath = typeof value === 'string' && /^[^\n]+$/.test(value);
  const hint = 'If this is the path of a file, give what the file holds: readFileSync(path)';
  return { received: kindOf(value), ...(mayBePath && { hint }) };
}

function isReadable(certificate: string): boolean {
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  try {
    new X509Certificate(certificate);
    return true;
  } catch {
    return false;
  }
}
