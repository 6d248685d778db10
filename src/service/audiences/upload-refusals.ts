import { ApiRefusal } from '../api/refusals.js';

/** What a body of ids can be refused for, beside what any body can. */
export const uploadRefusals = {
  invalidEncoding: (cause: unknown) =>
    new ApiRefusal({ status: 400, code: 'invalid_encoding', message: 'The body is not valid gzip' }, { cause }),
  notLines: () =>
    new ApiRefusal({ status: 415, code: 'not_ndjson', message: 'The Content-Type is not application/x-ndjson' }),
  unsupportedEncoding: () =>
    new ApiRefusal({
      status: 415,
      code: 'unsupported_encoding',
      message: 'The Content-Encoding is not gzip or identity',
    }),
} as const;
