import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { basic, deferred, listening, post, track } from './support.js';

const large = { batch: [track()], padding: 'x'.repeat(500_000) };

/** Fourteen bodies of `website` are held until the disk takes them, and no more fit into its seven eighths. */
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

test('a source that holds all bytes that it may is answered 429 with Retry-After until there is room', async () => {
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
])('a source with its key %s finds room where another holds all bytes that it may', async (_, body, headers) => {
  const { url, disk, held } = await holding();
  expect((await post(url, body, headers)).status).toBe(200);
  disk.resolve();
  await Promise.all(held);
});

test('many small messages count more bytes of a source than their text', async () => {
  const { url, disk, held } = await holding();
  const tiny = { batch: Array(1_000).fill(track()) };
  expect(await post(url, tiny)).toMatchObject({ status: 429, body: { code: 'too_busy' } });
  disk.resolve();
  await Promise.all(held);
});

test('a compressed body counts as many bytes of a source as it has when it is unpacked', async () => {
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
  'a batch that could never be held with its %s in each message is answered 400',
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

test('a request says how large its messages are with the context and integrations of their batch', async () => {
  const { url, requests } = await listening();
  await post(url, { batch: Array(10).fill(track()), ...shared });
  const [{ bytes = 0, expandedBytes = 0 } = {}] = requests;
  expect(expandedBytes - bytes).toBe(10 * JSON.stringify(shared).length);
});
