import { OptionError } from '../base/errors/errors.js';
import { describe } from '../base/text/describe.js';
import type { RequestFields } from './request-fields.js';
import { checkRequestOptions, type RequestOptions } from './request-options.js';

/** A client, or any object with the same `run` method. */
export interface Runner {
  run<T>(fields: RequestFields, act: () => T): T;
}

/** A client for one request, which is closed after the response. */
export interface RequestClient extends Runner {
  close(): Promise<unknown>;
}

export const isRunner = (value: unknown): value is Runner =>
  (typeof value === 'object' || typeof value === 'function') &&
  value !== null &&
  'run' in value &&
  typeof value.run === 'function';

/**
 * Checks the arguments of a middleware when the program starts, not with the first request.
 *
 * @param maker the name of the function, for the error
 * @throws OptionError
 */
export function checkMiddleware<Request>(maker: string, analytics: unknown, options: unknown): RequestOptions<Request> {
  if (!isRunner(analytics)) {
    const hint = `Write ${maker}(analytics, { userAgent: true })`;
    throw new OptionError('client', 'analytics', 'a client, an `Analytics`', describe(analytics), hint);
  }
  return checkRequestOptions(options);
}
