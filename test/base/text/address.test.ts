import { expect, test } from 'vitest';
import { contains, parseAddress, parseCidr } from '../../../src/base/text/address.js';

test.each<[string, bigint | undefined]>([
  ['127.0.0.1', 0x7f00_0001n],
  ['0.0.0.0', 0n],
  ['::', 0n],
  ['::1', 1n],
  ['1::', 1n << 112n],
  ['2001:db8::8:1', (0x2001_0db8n << 96n) | 0x8_0001n],
  ['::ffff:10.0.0.1', (0xffffn << 32n) | 0x0a00_0001n],
  ['fe80::1%eth0', (0xfe80n << 112n) | 1n],
  ['256.0.0.1', undefined],
  ['1::2::3', undefined],
  ['localhost', undefined],
  ['', undefined],
])('the address %s is the number %s', (text, value) => {
  expect(parseAddress(text)?.value).toBe(value);
});

test.each<[string, number | undefined]>([
  ['10.0.0.0/8', 8],
  ['0.0.0.0/0', 0],
  ['10.1.2.3', 32],
  ['::1', 128],
  ['2001:db8::/32', 32],
  ['10.1.2.3/8', undefined],
  ['10.0.0.0/33', undefined],
  ['::/129', undefined],
  ['10.0.0.0/', undefined],
  ['10.0.0.0/-1', undefined],
  ['10.0.0.0/8/8', undefined],
  ['example.com/8', undefined],
])('the network %s has %s fixed bits', (text, prefix) => {
  expect(parseCidr(text)?.prefix).toBe(prefix);
});

test.each<[string, string, boolean]>([
  ['10.0.0.0/8', '10.255.255.255', true],
  ['10.0.0.0/8', '11.0.0.0', false],
  ['0.0.0.0/0', '255.255.255.255', true],
  ['192.168.1.7', '192.168.1.7', true],
  ['192.168.1.7', '192.168.1.8', false],
  ['2001:db8::/32', '2001:db8:ffff::1', true],
  ['2001:db8::/32', '2001:db9::', false],
  ['0.0.0.0/0', '::1', false],
  ['::/0', '127.0.0.1', false],
])('the network %s contains the address %s: %s', (network, address, expected) => {
  const [cidr, value] = [parseCidr(network), parseAddress(address)];
  if (cidr === undefined || value === undefined) throw new Error('neither is one');
  expect(contains(cidr, value)).toBe(expected);
});
