import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createNameLookup, type NameLookupOptions } from '../../../src/destination/network/name-lookup.js';
import type { Lookup, ResolvedAddress } from '../../../src/destination/network/ssrf-guard.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { startNameServer } from '../name-server.js';
import { next, openDestination } from '../open.js';
import { track } from '../track.js';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'eventferry-names-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

const noSystem: Lookup = (host) => {
  throw new Error(`The system was asked for ${host}`);
};

/** Opens a lookup that ignores the files of the machine. */
const open = (options: NameLookupOptions): Lookup =>
  createNameLookup({ system: noSystem, hostsFile: '/none', resolvConf: '/none', ...options });

const ask = (lookup: Lookup, host: string, options: Parameters<Lookup>[1] = { all: true }): Promise<unknown> =>
  new Promise((resolve, reject) => lookup(host, options, (error, found) => (error ? reject(error) : resolve(found))));

const addresses = async (lookup: Lookup, host: string): Promise<string[]> =>
  ((await ask(lookup, host)) as ResolvedAddress[]).map(({ address }) => address);

describe('name lookup', () => {
  test('name lookup returns the addresses that the name server has', async () => {
    const { resolver } = await startNameServer(() => ['192.0.2.1', '192.0.2.2']);
    const lookup = open({ resolver });
    expect(await addresses(lookup, 'a.example')).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(await ask(lookup, 'a.example', { all: false })).toBe('192.0.2.1');
    await expect(ask(lookup, 'a.example', { all: true, family: 6 })).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('name lookup asks once for simultaneous lookups of the same name', async () => {
    const { resolver, asked } = await startNameServer(() => ['192.0.2.1']);
    const lookup = open({ resolver });
    await Promise.all([addresses(lookup, 'a.example'), addresses(lookup, 'A.example'), addresses(lookup, 'b.example')]);
    expect(asked.toSorted()).toEqual(['a.example', 'b.example']);
  });

  test('name lookup keeps an answer for its time to live', async () => {
    let now = 0;
    const { resolver, asked } = await startNameServer(() => ['192.0.2.1']);
    const lookup = open({ resolver, now: () => now });
    await addresses(lookup, 'a.example');
    now = 59_999;
    await addresses(lookup, 'a.example');
    expect(asked).toHaveLength(1);
    now = 60_000;
    await addresses(lookup, 'a.example');
    expect(asked).toHaveLength(2);
  });

  test('name lookup keeps an answer for at most five minutes', async () => {
    let now = 0;
    let questions = 0;
    const resolver = {
      resolve4: async () => [{ address: `192.0.2.${++questions}`, ttl: 86_400 }],
      resolve6: async () => [],
    } as unknown as ReturnType<NonNullable<NameLookupOptions['resolver']>>;
    const lookup = open({ resolver: () => resolver, now: () => now });
    await addresses(lookup, 'a.example');
    now = 300_000;
    expect(await addresses(lookup, 'a.example')).toEqual(['192.0.2.2']);
  });

  test('name lookup does not cache a failed lookup', async () => {
    const reactions: (readonly string[] | 'server failure')[] = ['server failure', ['192.0.2.1']];
    const { resolver } = await startNameServer(() => reactions[0] ?? []);
    const lookup = open({ resolver });
    await expect(addresses(lookup, 'a.example')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    reactions.shift();
    expect(await addresses(lookup, 'a.example')).toEqual(['192.0.2.1']);
  });

  test('name lookup reads the hosts file first, and notices changes', async () => {
    const hostsFile = join(folder(), 'hosts');
    writeFileSync(hostsFile, '127.0.0.1 localhost # this machine\n192.0.2.9\tother A.example\n::1 a.example\n');
    const { resolver, asked } = await startNameServer(() => ['192.0.2.1']);
    const lookup = open({ resolver, hostsFile });
    expect(await ask(lookup, 'a.example')).toEqual([
      { address: '192.0.2.9', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(asked).toEqual([]);
    writeFileSync(hostsFile, '');
    expect(await addresses(lookup, 'a.example')).toEqual(['192.0.2.1']);
  });

  test('name lookup completes names according to resolv.conf', async () => {
    const resolvConf = join(folder(), 'resolv.conf');
    writeFileSync(resolvConf, 'search shop.svc.test svc.test\noptions edns0 ndots:2\n');
    const { resolver, asked } = await startNameServer((name) =>
      name === 'api.dev.svc.test' || name === 'api.eu.example' ? ['192.0.2.1'] : 'no such name',
    );
    const lookup = open({ resolver, resolvConf });
    expect(await addresses(lookup, 'api.dev')).toEqual(['192.0.2.1']);
    expect(asked).toEqual(['api.dev.shop.svc.test', 'api.dev.svc.test']);
    asked.length = 0;
    await addresses(lookup, 'api.eu.example');
    expect(asked).toEqual(['api.eu.example']);
  });

  test('name lookup asks the system for names that DNS does not know', async () => {
    const { resolver } = await startNameServer(() => 'no such name');
    const system: Lookup = (_, __, answer) => answer(null, [{ address: '192.0.2.5', family: 4 }]);
    expect(await addresses(open({ resolver, system }), 'printer.example')).toEqual(['192.0.2.5']);
  });

  test('name lookup asks the system, and not a name server, for localhost', async () => {
    const { resolver, asked } = await startNameServer(() => ['192.0.2.1']);
    const system: Lookup = (_, __, answer) => answer(null, [{ address: '127.0.0.1', family: 4 }]);
    expect(await addresses(open({ resolver, system }), 'localhost')).toEqual(['127.0.0.1']);
    expect(asked).toEqual([]);
  });

  test.each(['silent', 'server failure'] as const)(
    'name lookup does not ask the system when DNS is %s',
    async (how) => {
      const { resolver } = await startNameServer(() => how);
      const code = how === 'silent' ? 'ETIMEOUT' : 'ESERVFAIL';
      const lookup = open({ resolver: () => resolver(100) });
      await expect(addresses(lookup, 'a.example')).rejects.toMatchObject({ code });
    },
  );
});

test('an endpoint receives all its deliveries while the name servers of four others are silent', async () => {
  const endpoint = await startEndpoint(200);
  const { resolver, asked } = await startNameServer((name) => (name === 'healthy.example' ? ['127.0.0.1'] : 'silent'));
  const silent = [1, 2, 3, 4].map((number) => ({ url: `http://silent-${number}.example/` }));
  const healthy = { url: endpoint.url.replace('127.0.0.1', 'healthy.example') };
  const { destination, clock } = await openDestination(
    { webhooks: [...silent, healthy], settle: 'each' },
    { lookup: open({ resolver }) },
  );
  const messages = Array.from({ length: 100 }, (_, index) => track(`m${index}`));
  const last = next(destination, 'delivered', () => destination.counters().delivered === messages.length);
  await Promise.all(messages.map((message) => destination.deliver(message)));
  await last;
  expect(endpoint.received).toHaveLength(messages.length);
  expect(asked.filter((name) => name !== 'healthy.example')).toHaveLength(silent.length);
  await clock.pass(5_000);
  expect(destination.counters().results).toMatchObject({ success: 100, timeout: 4 * 64 });
});
