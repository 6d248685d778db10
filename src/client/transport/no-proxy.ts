/**
 * Returns true if `NO_PROXY` requires a direct connection to a host.
 *
 * The rules combine those of Node's two clients, which differ: `node:http` supports address ranges and matches `example.com` only
 * as that host; `fetch`, like curl, Go and Python, also matches its subdomains.
 *
 * @param noProxy `*`, or a list of `example.com`, `.example.com`, `*.example.com`, `10.0.0.1`, `10.0.0.1-10.0.0.9`, `::1` or
 *   `[::1]`, each with or without a port, separated by commas or spaces. Networks such as `10.0.0.0/8` are not supported.
 * @param hostname in lower case, without the brackets of an IPv6 address
 */
export function isExempt(noProxy: string, hostname: string, port: number): boolean {
  const entries = noProxy.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => entry === '*' || (entry !== '' && matches(entry, hostname, port)));
}

function matches(entry: string, hostname: string, port: number): boolean {
  const { name, port: onlyPort = port } = parse(entry);
  if (onlyPort !== port) return false;
  return name === hostname || hostname.endsWith(`.${name}`) || isInRange(name, hostname);
}

/** Parses an entry. More than one colon without brackets means an IPv6 address without a port. */
function parse(entry: string): { name: string; port?: number } {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  const name = (bracketed ?? plain ?? entry).replace(/^\*?\./, '');
  return port === undefined ? { name } : { name, port: Number(port) };
}

function isInRange(range: string, hostname: string): boolean {
  const [from = '', to = ''] = range.split('-');
  if (![from, to, hostname].every((each) => IPV4.test(each))) return false;
  return numberOf(from) <= numberOf(hostname) && numberOf(hostname) <= numberOf(to);
}

const IPV4 = /^(\d{1,3}\.){3}\d{1,3}$/;

const numberOf = (ip: string): number => ip.split('.').reduce((number, octet) => number * 256 + Number(octet), 0);
