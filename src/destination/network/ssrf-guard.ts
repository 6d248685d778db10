import { type Address, type Cidr, contains, parseAddress, parseCidr } from '../../base/text/address.js';
import { AddressRefusedError } from '../destination-errors.js';

/**
 * Returns true if a request may go to this address. Only public unicast addresses are allowed, plus those in `allowed`. For an
 * IPv4 address inside an IPv6 one, the IPv4 address decides, because packets end up there.
 */
export function isReachable(text: string, allowed: readonly Cidr[]): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (isIn(address, allowed)) return true;
  if (address.bits === 32) return !isIn(address, REFUSED_IPV4);
  const inner = innerIpv4(address);
  if (inner !== undefined) return isIn(inner, allowed) || !isIn(inner, REFUSED_IPV4);
  return isIn(address, GLOBAL_UNICAST) && !isIn(address, REFUSED_IPV6);
}

export const LOOPBACK: readonly Cidr[] = cidrs('127.0.0.0/8', '::1/128');

// Source: the IANA special-purpose registries for IPv4 (RFC 6890 and its updates).
const REFUSED_IPV4 = cidrs(
  '0.0.0.0/8', // this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, and the metadata service of one cloud
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // metadata service of one cloud, at a public address
  '169.254.0.0/16', // link-local, and the metadata service of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
);

// All other IPv6 addresses are loopback, link-local, private (including metadata services), multicast, or unassigned.
const GLOBAL_UNICAST = cidrs('2000::/3');

// Source: the IANA special-purpose registry for IPv6.
const REFUSED_IPV6 = cidrs(
  '2001::/23', // protocol assignments, including Teredo and benchmarks
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
);

/** IPv6 networks that embed an IPv4 address, with the number of bits after it. */
const EMBEDDINGS = [
  { network: cidr('::ffff:0:0/96'), after: 0n }, // IPv4-mapped
  { network: cidr('64:ff9b::/96'), after: 0n }, // NAT64
  { network: cidr('2002::/16'), after: 80n }, // 6to4
];

function innerIpv4(address: Address): Address | undefined {
  const embedding = EMBEDDINGS.find(({ network }) => contains(network, address));
  if (embedding === undefined) return undefined;
  return { bits: 32, value: (address.value >> embedding.after) & 0xffff_ffffn };
}

const isIn = (address: Address, networks: readonly Cidr[]): boolean =>
  networks.some((network) => contains(network, address));

function cidr(text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new Error(`${text} is no network`);
  return parsed;
}

function cidrs(...texts: string[]): readonly Cidr[] {
  return texts.map(cidr);
}

/** An address to which a name resolves. */
export interface ResolvedAddress {
  address: string;
  family: number;
}

type LookupCallback = (error: Error | null, address: string | readonly ResolvedAddress[], family?: number) => void;

/** The signature of `lookup` in `node:dns`, which returns one address of a name or all of them. */
export type Lookup = (
  host: string,
  options: { all?: boolean | undefined; family?: number | string | undefined },
  answer: LookupCallback,
) => void;

/** Wraps a lookup so that it leaves out addresses that may not be reached. */
export const guard =
  (lookup: Lookup, allowed: readonly Cidr[]): Lookup =>
  (host, options, answer) =>
    lookup(host, options, (error, found, family) => {
      if (error) return answer(error, found, family);
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
      const reachable = addresses.filter((address) => isReachable(address, allowed));
      if (reachable.length === 0) return answer(new AddressRefusedError(host), found);
      if (typeof found === 'string') return answer(null, found, family);
      answer(
        null,
        found.filter(({ address }) => reachable.includes(address)),
      );
    });
