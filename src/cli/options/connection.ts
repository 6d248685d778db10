import { CliError } from '../cli-error.js';

export interface ConnectionOptions {
  readonly endpoint?: string | undefined;
  readonly writeKey?: string | undefined;
}

export interface ServiceConnection {
  readonly endpoint: string;
  readonly writeKey: string;
}

export const ENDPOINT_VARIABLE = 'EVENTFERRY_ENDPOINT';
export const WRITE_KEY_VARIABLE = 'EVENTFERRY_WRITE_KEY';
export const SECRET_VARIABLE = 'EVENTFERRY_WEBHOOK_SECRET';
/** Differs from `EVENTFERRY_ENDPOINT`, because that collector may be another company's, which must not get the admin token. */
export const SERVICE_VARIABLE = 'EVENTFERRY_SERVICE_URL';
export const TOKEN_VARIABLE = 'EVENTFERRY_ADMIN_TOKEN';

/** @throws CliError when one of the two is missing */
export const connectionOf = ({ endpoint, writeKey }: ConnectionOptions): ServiceConnection => ({
  endpoint: given(endpoint, 'no endpoint', `--endpoint URL or set ${ENDPOINT_VARIABLE}`),
  writeKey: given(writeKey, 'no write key', `--write-key KEY or set ${WRITE_KEY_VARIABLE}`),
});

/** @throws CliError when the secret is missing */
export const secretOf = <S extends string | readonly string[]>(secret: S | undefined): S =>
  given(secret, 'no secret', `--secret SECRET or set ${SECRET_VARIABLE}`);

/**
 * Returns the value of a required option.
 *
 * @throws CliError if neither the option nor its variable is given
 */
export function given<T extends string | readonly string[]>(value: T | undefined, problem: string, give: string): T {
  if (value === undefined || value.length === 0) throw new CliError(`${problem}; give ${give}`);
  return value;
}
