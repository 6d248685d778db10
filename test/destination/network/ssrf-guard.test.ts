import { describe, expect, test } from 'vitest';
import { type Cidr, parseCidr } from '../../../src/base/text/address.js';
import { isReachable, LOOPBACK } from '../../../src/destination/network/ssrf-guard.js';

const cidrs = (...texts: string[]): Cidr[] => texts.flatMap((text) => parseCidr(text) ?? []);

describe('an address that may be reached', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2001:4860:4860::8888',
    '2a00:1450:4001:80b::200e',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ])('%s', (address) => {
    expect(isReachable(address, [])).toBe(true);
  });
});

describe('an address that may not be reached', () => {
  test.each([
    ['this host', '0.0.0.0'],
    ['this host', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '10.255.255.255'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['a cloud’s metadata', '100.100.100.200'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['a cloud’s metadata', '168.63.129.16'],
    ['metadata', '169.254.169.254'],
    ['link-local', '169.254.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['a cloud’s metadata', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['private', '192.168.0.1'],
    ['benchmarks', '198.18.0.1'],
    ['benchmarks', '198.19.255.255'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['multicast', '224.0.0.1'],
    ['multicast', '239.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-compatible', '::7f00:1'],
    ['IPv4-compatible', '::8.8.8.8'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped loopback', '::ffff:7f00:1'],
    ['IPv4-mapped loopback', '0:0:0:0:0:ffff:7f00:0001'],
    ['IPv4-mapped metadata', '::ffff:169.254.169.254'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64 to private', '64:ff9b::10.0.0.1'],
    ['NAT64 to metadata', '64:ff9b::a9fe:a9fe'],
    ['local NAT64', '64:ff9b:1::1'],
    ['6to4 of private', '2002:a00:1::1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['Teredo', '2001::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['discard', '100::1'],
    ['unique local', 'fc00::1'],
    ['a cloud’s metadata', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['segment routing', '5f00::1'],
    ['no address', 'localhost'],
    ['no address', '127.1'],
    ['no address', ''],
  ])('%s: %s', (_, address) => {
    expect(isReachable(address, [])).toBe(false);
  });
});

describe('allowed networks', () => {
  test('allowed networks open exactly the addresses that they contain', () => {
    const allowed = cidrs('10.20.0.0/16', 'fd00:1::/64');
    expect(isReachable('10.20.255.1', allowed)).toBe(true);
    expect(isReachable('fd00:1::5', allowed)).toBe(true);
    expect(isReachable('10.21.0.1', allowed)).toBe(false);
    expect(isReachable('fd00:1:0:1::5', allowed)).toBe(false);
  });

  test('allowed networks apply to an IPv4 address that is written as IPv6', () => {
    expect(isReachable('::ffff:10.20.0.1', cidrs('10.20.0.0/16'))).toBe(true);
    expect(isReachable('::ffff:10.21.0.1', cidrs('10.20.0.0/16'))).toBe(false);
  });

  test('loopback is 127.0.0.0/8 and ::1', () => {
    for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
      expect(isReachable(address, LOOPBACK)).toBe(true);
    }
    for (const address of ['10.0.0.1', '::2', 'fe80::1']) expect(isReachable(address, LOOPBACK)).toBe(false);
  });

  test('a bare address is a network with one address', () => {
    expect(isReachable('10.1.2.3', cidrs('10.1.2.3'))).toBe(true);
    expect(isReachable('10.1.2.4', cidrs('10.1.2.3'))).toBe(false);
  });
});
