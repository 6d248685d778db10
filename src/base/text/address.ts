import { isIPv4, isIPv6 } from 'node:net';

/** An address as a number. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** A network: its first address and the number of its fixed leading bits. */
export interface Cidr extends Address {
  readonly prefix: number;
}

/** Parses a network such as `10.0.0.0/8`; a bare address becomes a network of one. Returns undefined if the text is neither. */
export function parseCidr(text: string): Cidr | undefined {
  const [start = '', length, ...rest] = text.split('/');
  const address = parseAddress(start);
  if (address === undefined || rest.length > 0) return undefined;
  if (length === undefined) return { ...address, prefix: address.bits };
  if (!/^\d{1,3}$/.test(length) || Number(length) > address.bits) return undefined;
  const network = { ...address, prefix: Number(length) };
  // Refuses 10.1.2.3/8 as a mistake, because either 10.0.0.0/8 or 10.1.2.3/32 may be meant.
  return (address.value & hostMask(network)) === 0n ? network : undefined;
}

/** Returns undefined if the text is not an address. */
export function parseAddress(text: string): Address | undefined {
  // A zone (`fe80::1%eth0`) names a network card and is not part of the address.
  const [bare = ''] = text.split('%');
  if (isIPv4(bare)) return { bits: 32, value: ipv4Value(bare) };
  return isIPv6(bare) ? { bits: 128, value: ipv6Value(bare) } : undefined;
}

const ipv4Value = (text: string): bigint => text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);

function ipv6Value(text: string): bigint {
  const [head = '', tail] = text.split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const gap = Array<bigint>(8 - before.length - after.length).fill(0n);
  return [...before, ...gap, ...after].reduce((value, group) => (value << 16n) | group, 0n);
}

function groupsOf(text: string): bigint[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)];
    const value = ipv4Value(group);
    return [value >> 16n, value & 0xffffn];
  });
}

const hostMask = ({ bits, prefix }: Cidr): bigint => (1n << BigInt(bits - prefix)) - 1n;

export const contains = (network: Cidr, { bits, value }: Address): boolean =>
  network.bits === bits && value >> BigInt(bits - network.prefix) === network.value >> BigInt(bits - network.prefix);

/** Returns the network of one sender: an IPv4 address, or the /64 of an IPv6 address, because providers give a whole /64 to one customer. */
export function networkOf(address: string): string {
  const parsed = parseAddress(address);
  return parsed?.bits === 128 ? `${(parsed.value >> 64n).toString(16)}/64` : address;
}
