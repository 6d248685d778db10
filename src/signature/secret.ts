import { OptionError } from '../base/errors/errors.js';

const EXPECTED = 'a non-empty string, or an array of them';

/** Returns the secrets as a list. An empty or blank secret is refused, because anyone could sign with it. Errors never contain a secret. */
export function listSecrets(secrets: string | readonly string[]): readonly string[] {
  const list = typeof secrets === 'string' ? [secrets] : secrets;
  if (!Array.isArray(list)) throw new OptionError('webhooks', 'secrets', EXPECTED, typeof secrets);
  if (list.length === 0) throw new OptionError('webhooks', 'secrets', EXPECTED, 'an empty array');
  for (const secret of list) assertSecret('secrets', secret, EXPECTED);
  return list;
}

export function assertSecret(option: string, secret: unknown, expected = 'a non-empty string'): void {
  if (secret === '') throw new OptionError('webhooks', option, expected, 'an empty string');
  if (typeof secret !== 'string')
    throw new OptionError('webhooks', option, expected, secret === null ? 'null' : typeof secret);
  if (secret.trim() === '') throw new OptionError('webhooks', option, expected, 'nothing but white space');
}
