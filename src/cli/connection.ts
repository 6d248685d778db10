import { CliError } from './cli-error.js';

export interface ConnectionOptions {
  readonly endpoint?: string | undefined;
  readonly writeKey?: string | undefined;
}

export interface Connection {
  readonly endpoint: string;
  readonly writeKey: string;
}

export const ENDPOINT_VARIABLE = 'EVENTFERRY_ENDPOINT';
export const WRITE_KEY_VARIABLE = 'EVENTFERRY_WRITE_KEY';

/** @throws CliError when one of the two is missing */
export function connectionOf({ endpoint, writeKey }: ConnectionOptions): Connection {
  if (!endpoint) throw new CliError(`where to? Give --endpoint URL or set ${ENDPOINT_VARIABLE}`);
  if (!writeKey) throw new CliError(`which source? Give --write-key KEY or set ${WRITE_KEY_VARIABLE}`);
  return { endpoint, writeKey };
}
