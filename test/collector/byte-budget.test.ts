import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { ByteBudget } from '../../src/collector/byte-budget.js';
import { basic, deferred, listening, post, track } from './support.js';

const large = { batch: [track()], padding: 'x'.repeat(500_000) };

/** Fourteen bodies of `website` are held until the disk stores them. No more fit into its share of seven eighths. */
async function holding() {
  const disk = deferred();
  const allAsked = deferred();
  let asked = 0;
  const { url } = await listening({
    sources: [
      { name: 'website', writeKey: 'dev' },
      { name: 'app', writeKey: 'app' },
    ],
    maxBytesInFlight: 8_388_608,
    onMessages: (_, { name }) => {
      if (name === 'app') return;
      asked++;
      if (asked === 14) allAsked.resolve();
      return disk.promise;
    },
  });
  const held = Array.from({ length: 14 }, () => post(url, large));
  await allAsked.promise;
  return { url, disk, held };
}

test('a source that holds all the bytes that it may hold gets a 429 with Retry-After until there is room', async () => {
  const { url, disk, held } = await holding();
  const refused = await post(url, large);
  expect(refused).toMatchObject({ status: 429, body: { code: 'too_busy' }, headers: { 'retry-after': '1' } });
  disk.resolve();
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array(14).fill(200));
  expect((await post(url, large)).status).toBe(200);
});

test.each([
  ['in the header', large, { authorization: basic('app') }],
  ['in the body', { ...large, writeKey: 'app' }, { authorization: '' }],
])(
  'a source with its key %s finds room although another source holds all the bytes that it may hold',
  async (_, body, headers) => {
    const { url, disk, held } = await holding();
    expect((await post(url, body, headers)).status).toBe(200);
    disk.resolve();
    await Promise.all(held);
  },
);

test('many small messages count as more bytes of a source than their text', async () => {
  const { url, disk, held } = await holding();
  const tiny = { batch: Array(1_000).fill(track()) };
  expect(await post(url, tiny)).toMatchObject({ status: 429, body: { code: 'too_busy' } });
  disk.resolve();
  await Promise.all(held);
});

test('a compressed body counts with its decompressed size', async () => {
  const { url, disk, held } = await holding();
  const small = gzipSync(JSON.stringify(large));
  expect(small.length).toBeLessThan(5_000);
  const refused = await post(url, small, { 'content-encoding': 'gzip' });
  expect(refused).toMatchObject({ status: 429, body: { code: 'too_busy' } });
  disk.resolve();
  await Promise.all(held);
});

const shared = { context: { filler: 'x'.repeat(30_000) } };

test('the context and integrations of a batch count once for each of its messages', async () => {
  const { url, disk, held } = await holding();
  const expanding = { batch: Array(20).fill(track()), ...shared };
  expect(await post(url, expanding)).toMatchObject({ status: 429, body: { code: 'too_busy' } });
  disk.resolve();
  await Promise.all(held);
  expect((await post(url, expanding)).status).toBe(200);
});

test.each(['context', 'integrations'])(
  'a batch that could never fit with its %s in each message is answered 400',
  async (field) => {
    const { url, messages, rejections } = await listening({ maxBytesInFlight: 8_388_608 });
    const body = { batch: Array(250).fill(track()), [field]: shared.context };
    const refused = await post(url, body);
    expect(refused).toMatchObject({ status: 400, body: { code: 'batch_too_large' } });
    expect(refused.text).toContain('Send fewer messages at once');
    expect(messages).toEqual([]);
    expect(rejections).toMatchObject([{ index: undefined, code: 'batch_too_large' }]);
    expect((await post(url, { ...body, batch: Array(200).fill(track()) })).status).toBe(200);
  },
);

test('expandedBytes of a request counts the context and integrations of its batch in each message', async () => {
  const { url, requests } = await listening();
  await post(url, { batch: Array(10).fill(track()), ...shared });
  const [{ bytes = 0, expandedBytes = 0 } = {}] = requests;
  expect(expandedBytes - bytes).toBe(10 * JSON.stringify(shared).length);
});

/** Takes as many bytes as the budget allows for that address. */
function fillFrom(budget: ByteBudget, address: string): void {
  for (const lease = budget.open(address); lease.take(1_000); );
}

test('an unknown sender finds room although one at another address holds all the bytes that it may hold', () => {
  const budget = new ByteBudget(10_000_000);
  fillFrom(budget, '192.0.2.1');
  expect(budget.used).toBeGreaterThan(8_000_000);
  expect(budget.open('192.0.2.1').take(1_000)).toBe(false);
  expect(budget.open('192.0.2.2').take(100_000)).toBe(true);
});

test('all unknown senders together hold at most as much as one source, even from many addresses', () => {
  const budget = new ByteBudget(10_000_000);
  for (let host = 1; host < 255; host++) fillFrom(budget, `192.0.2.${host}`);
  expect(budget.used).toBeLessThanOrEqual(8_750_000);
  const known = budget.open('192.0.2.1');
  known.assign('website');
  expect(known.take(1_000_000)).toBe(true);
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', false],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', true],
  ['::1', '0:0:0:0:1::', false],
  ['unknown', 'unknown', false],
])(
  'while a greedy unknown sender at %s holds all the bytes that it may hold, one at %s finds room: %s',
  (greedy, other, hasRoom) => {
    const budget = new ByteBudget(10_000_000);
    fillFrom(budget, greedy);
    expect(budget.open(other).take(100_000)).toBe(hasRoom);
  },
);

test.each([
  ['the connection', {}, '127.0.0.1'],
  ['the client that the trusted proxy added', { trustedProxies: 1 }, '192.0.2.7'],
])('a request counts for the address of %s', async (_, options, address) => {
  const open = vi.spyOn(ByteBudget.prototype, 'open');
  const { url, requests } = await listening(options);
  await post(url, { batch: [track()] }, { 'x-forwarded-for': '198.51.100.1, 192.0.2.7' });
  expect(open).toHaveBeenCalledExactlyOnceWith(address);
  expect(requests[0]?.remoteAddress).toBe(address);
  open.mockRestore();
});
