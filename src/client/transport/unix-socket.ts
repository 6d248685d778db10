import { OptionError } from '../../base/errors/errors.js';
import { kindOf } from '../../base/text/describe.js';

/** An endpoint on a unix socket: `unix:/run/events.sock`, or with a path prefix, `unix:/run/events.sock:/base`. */
export interface UnixEndpoint {
  readonly socketPath: string;
  readonly pathname: string;
}

export const isUnixEndpoint = (endpoint: string): boolean => endpoint.startsWith('unix:');

/** @throws OptionError */
export function parseUnixEndpoint(endpoint: string): UnixEndpoint {
  const [, socketPath, pathname = '/'] = /^unix:(\/[^:\0]+)(?::(\/[^?#\s]*))?$/.exec(endpoint) ?? [];
  if (socketPath !== undefined) return { socketPath, pathname };
  const expected = 'unix:/path/to/socket, or with a path for the collector unix:/path/to/socket:/base';
  throw new OptionError('client', 'endpoint', expected, kindOf(endpoint));
}
