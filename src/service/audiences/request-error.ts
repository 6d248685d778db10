import { EventferryError } from '../../errors.js';

type Status = 400 | 413 | 415 | 422;

/** A request that cannot be read. Nothing was changed. */
export class AudienceRequestError extends EventferryError {
  override readonly name = 'AudienceRequestError';
  readonly code: string;
  readonly status: Status;

  constructor(status: Status, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.code = code;
  }
}

export const requestErrors = {
  notLines: () => new AudienceRequestError(415, 'not_ndjson', 'The Content-Type is not application/x-ndjson'),
  notJson: () => new AudienceRequestError(415, 'not_json', 'The Content-Type is not application/json'),
  unsupportedEncoding: () =>
    new AudienceRequestError(415, 'unsupported_encoding', 'The Content-Encoding is not gzip or identity'),
  invalidEncoding: (cause: unknown) =>
    new AudienceRequestError(400, 'invalid_encoding', 'The body is not valid gzip', { cause }),
  /** Nobody is left to read this, as a rule. */
  brokenOff: (cause: unknown) => new AudienceRequestError(400, 'body_broken_off', 'The body broke off', { cause }),
  bodyTooLarge: (limit: number) =>
    new AudienceRequestError(
      413,
      'body_too_large',
      `The body is larger than ${limit} bytes; PUT the full list instead`,
    ),
  invalidJson: () => new AudienceRequestError(400, 'invalid_json', 'The body is not a JSON object in UTF-8'),
  invalidField: (field: string, expected: string) =>
    new AudienceRequestError(422, 'invalid_field', `\`${field}\` is not ${expected}`),
} as const;
