import { OptionError } from '../../base/errors/errors.js';
import { kindOf } from '../../base/text/describe.js';
import { isUnixEndpoint, parseUnixEndpoint } from './endpoint.js';
import { type ProxyServer, resolveProxy, type Surroundings } from './proxy.js';
import { resolveTls, type TlsOptions } from './tls.js';

/** How to reach the collector. */
export interface CollectorRoute {
  /** `https://events.example.com`: scheme, host and port. */
  readonly origin: string;
  readonly socketPath?: string | undefined;
  readonly tls?: TlsOptions | undefined;
  readonly proxy?: ProxyServer | undefined;
}

export interface RouteOptions {
  /** The endpoint's URL, already validated. */
  readonly endpoint: string;
  readonly proxy?: unknown;
  readonly tls?: unknown;
  readonly transport?: unknown;
}

/**
 * @returns the route, and the URL that batches are sent to
 * @throws OptionError if a part of it is wrong, or could have no effect
 */
export function resolveRoute(
  options: RouteOptions,
  surroundings: Surroundings = process,
): CollectorRoute & { url: string } {
  const unix = isUnixEndpoint(options.endpoint) ? parseUnixEndpoint(options.endpoint) : undefined;
  // A server on a socket is addressed as `localhost`, as in Node and curl.
  const endpoint = new URL(unix === undefined ? options.endpoint : `http://localhost${unix.pathname}`);
  refuseWithoutEffect(options, endpoint, unix !== undefined);
  const { origin } = endpoint;
  const isOurs = options.transport === undefined && unix === undefined;
  return {
    origin,
    url: batchUrl(endpoint),
    socketPath: unix?.socketPath,
    tls: options.tls === undefined ? undefined : resolveTls(options.tls),
    proxy: isOurs ? resolveProxy(options.proxy, endpoint, surroundings) : undefined,
  };
}

/** Returns the URL to which the batches for an endpoint are sent. */
export const batchUrl = ({ origin, pathname }: URL): string => `${origin}${pathname.replace(/\/+$/, '')}/v1/batch`;

function refuseWithoutEffect(options: RouteOptions, { protocol }: URL, isUnix: boolean): void {
  const { proxy = false, tls, transport } = options;
  if (transport !== undefined) {
    const expected = 'left out where `transport` makes the connections';
    if (proxy !== false) throw new OptionError('client', 'proxy', expected, 'both');
    if (tls !== undefined) throw new OptionError('client', 'tls', expected, 'both');
    if (isUnix)
      throw new OptionError(
        'client',
        'endpoint',
        'an http or https URL where `transport` makes the connections',
        'a unix socket',
      );
  }
  if (isUnix && proxy !== false)
    throw new OptionError('client', 'proxy', 'left out for an endpoint on a unix socket', 'both');
  if (protocol !== 'https:' && tls !== undefined)
    throw new OptionError('client', 'tls', 'left out for an endpoint that is not https', kindOf(tls));
}

/** The options for Node's and undici's own connections. */
export const connectionOptions = ({ tls, socketPath }: CollectorRoute): object => ({
  ...tls,
  ...(socketPath === undefined ? {} : { socketPath }),
});
