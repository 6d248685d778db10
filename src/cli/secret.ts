import { CliError } from './cli-error.js';

export const SECRET_VARIABLE = 'EVENTFERRY_WEBHOOK_SECRET';

/** @throws CliError when there is none */
export function secretGiven<S extends string | readonly string[]>(secret: S | undefined): S {
  if (secret === undefined || secret.length === 0) {
    throw new CliError(`with which secret? Give --secret SECRET or set ${SECRET_VARIABLE}`);
  }
  return secret;
}
