import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { encodedAnswer } from '../../../src/service/api/encoded.js';

const long = JSON.stringify({ text: 'a'.repeat(2_000) });

const asking = (text: string, headers: Record<string, string> = {}): Promise<Response> => {
  const app = new Hono();
  app.get('/', (context) => encodedAnswer(context, text, 'application/json'));
  return Promise.resolve(app.request('/', { headers }));
};

const bodyOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

test.each([
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['GZIP;q=0.5, br;q=0', 'gzip', gunzipSync],
] as const)(
  'an answer over 1 KB to a client that accepts `%s` is encoded with %s',
  async (accepted, encoding, decode) => {
    const response = await asking(long, { 'accept-encoding': accepted });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    const body = await bodyOf(response);
    expect(body.length).toBeLessThan(100);
    expect(decode(body).toString()).toBe(long);
  },
);

test.each([
  ['a short answer', '{}', 'gzip, br'],
  ['an answer to a client that accepts no encoding', long, ''],
  ['an answer to a client that accepts another encoding', long, 'zstd, gzip;q=0.0'],
])('%s is sent without encoding', async (_, text, accepted) => {
  const response = await asking(text, { 'accept-encoding': accepted });
  expect(response.headers.get('content-encoding')).toBeNull();
  expect(await response.text()).toBe(text);
});

test('a client that already has the answer gets 304 and no body, in any encoding', async () => {
  const tag = (await asking(long)).headers.get('etag') ?? '';
  const headers = { 'accept-encoding': 'br', 'if-none-match': `W/"other", ${tag}` };
  const again = await asking(long, headers);
  expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, tag, '']);
  expect((await asking(`${long} `, headers)).status).toBe(200);
});
