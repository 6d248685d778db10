import { ConnectionError, OptionError } from '../../base/errors/errors.js';
import { kindOf } from '../../base/text/describe.js';
import { httpUrlIn } from '../../base/text/http-url.js';
import { isExempt } from './no-proxy.js';

/** The server through which connections to the collector go. */
export type ProxyServer = NonNullable<ReturnType<typeof parse>>;

/** The parts of a process that determine which proxy Node's own clients use. */
export type Surroundings = Pick<typeof process, 'env' | 'execArgv'>;

/**
 * Returns the proxy for an endpoint: the given one, none for `false`, or else the one that Node's own clients would use.
 *
 * @throws OptionError
 */
export function resolveProxy(proxy: unknown, endpoint: URL, surroundings: Surroundings): ProxyServer | undefined {
  if (proxy === false) return undefined;
  if (proxy === undefined) return proxyOfEnvironment(endpoint, surroundings);
  const url = typeof proxy === 'string' ? httpUrlIn(proxy) : undefined;
  const resolved = url !== undefined && url.pathname + url.search + url.hash === '/' ? parse(url) : undefined;
  if (resolved !== undefined) return resolved;
  const expected = 'false, or an http or https URL without a path, such as http://user:password@proxy.example.com:3128';
  throw new OptionError('client', 'proxy', expected, kindOf(proxy));
}

/**
 * Returns the proxy that the environment names, if Node is told to use that: `https_proxy` or `http_proxy`, by the endpoint's
 * scheme, or their names in capitals, unless `no_proxy` matches the endpoint. Like Node, it ignores other kinds of proxies.
 */
function proxyOfEnvironment(endpoint: URL, { env, execArgv }: Surroundings): ProxyServer | undefined {
  if (!heedsEnvironment(env, execArgv)) return undefined;
  const name = endpoint.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const value = env[name] || env[name.toUpperCase()] || '';
  if (!/^https?:\/\//.test(value)) return undefined;
  const url = httpUrlIn(value);
  const proxy = url && parse(url);
  if (proxy === undefined) {
    throw new OptionError('client', env[name] ? name : name.toUpperCase(), 'an http or https URL', kindOf(value));
  }
  const noProxy = env['no_proxy'] || env['NO_PROXY'] || '';
  return isExempt(noProxy, withoutBrackets(endpoint.hostname), portOf(endpoint)) ? undefined : proxy;
}

/** Follows Node's rules: a flag overrides the variable, and the last of several flags applies. */
function heedsEnvironment(env: Surroundings['env'], execArgv: readonly string[]): boolean {
  const flags = [...(env['NODE_OPTIONS'] ?? '').split(/\s+/), ...execArgv];
  const flag = flags.findLast((each) => /^--(no-)?use-env-proxy$/.test(each));
  return flag === undefined ? env['NODE_USE_ENV_PROXY'] === '1' : flag === '--use-env-proxy';
}

function parse(url: URL) {
  const { protocol, hostname, username, password } = url;
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  const credentials = decode(`${username}:${password}`);
  if (credentials === undefined) return undefined;
  const port = portOf(url);
  return {
    isSecure: protocol === 'https:',
    /** The name of the host, without the brackets of an IPv6 address. */
    hostname: withoutBrackets(hostname),
    port,
    /** `proxy.example.com:3128`: the only part of the proxy's URL that may be shown. */
    host: `${hostname}:${port}`,
    /** The value of the header Proxy-Authorization. */
    authorization: credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);

export const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

export const credentialsFor = ({ authorization }: ProxyServer): Readonly<Record<string, string>> =>
  authorization === undefined ? {} : { 'Proxy-Authorization': authorization };

/** Makes the error for a failure at the proxy. The error shows only the proxy's host and port. */
export const proxyError = ({ host }: ProxyServer, what: string, cause?: unknown): ConnectionError =>
  new ConnectionError(`The proxy ${host} ${what}`, { cause, causeCode: 'PROXY_FAILED' });

/** Makes the error for a proxy that requires credentials, or different ones. */
export function refusedBy(proxy: ProxyServer): ConnectionError {
  const { host, authorization } = proxy;
  if (authorization !== undefined) return proxyError(proxy, 'refused the credentials in its URL (407)');
  return proxyError(proxy, `asks for credentials (407): put them into its URL, as in http://user:password@${host}`);
}
