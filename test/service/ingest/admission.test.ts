import { expect, test } from 'vitest';
import { basic, rawConnection, send } from '../../collector/support.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { ask, configOf, destinationOf, serving, sourceOf, track } from '../support.js';

const batchOf = (count: number, prefix = 'm') =>
  Array.from({ length: count }, (_, index) => track(`${prefix}${index}`));

const sendAs = (url: string, key: string, batch: readonly unknown[]) =>
  send(url, '/v1/batch', { headers: { authorization: basic(key) }, body: JSON.stringify({ batch }) });

async function limited(fields: Parameters<typeof sourceOf>[0]) {
  const crm = await startEndpoint(200);
  const clock = new FakeClock();
  const config = configOf({
    sources: [sourceOf({ writeKeys: ['one', 'two'], ...fields }), sourceOf({ name: 'app', writeKeys: ['app'] })],
    destinations: [destinationOf(crm.url)],
  });
  const { url, service } = await serving(config, { clock });
  return { url, service, config, clock, crm };
}

test('a source that exceeds its rate limit is answered 429, and nothing of the request is stored', async () => {
  const { url, clock, crm } = await limited({ rateLimit: { messagesPerSecond: 10, burst: 20 } });
  expect((await sendAs(url, 'one', batchOf(15))).status).toBe(200);
  const refused = await sendAs(url, 'two', batchOf(20, 'n'));
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' }, headers: { 'retry-after': '2' } });
  expect(refused.text).not.toContain('two');
  await crm.has(15);
  await clock.pass(1_500);
  expect((await sendAs(url, 'two', batchOf(20, 'n'))).status).toBe(200);
  await crm.has(35);
  expect(crm.received).toHaveLength(35);
});

test('the rate limit of one source does not affect another', async () => {
  const { url } = await limited({ rateLimit: { messagesPerSecond: 1, burst: 1 } });
  expect((await sendAs(url, 'one', batchOf(1))).status).toBe(200);
  expect((await sendAs(url, 'one', batchOf(1, 'n'))).status).toBe(429);
  expect((await sendAs(url, 'app', batchOf(100))).status).toBe(200);
});

test('each write key of a source has a separate limit', async () => {
  const { url } = await limited({ rateLimitPerWriteKey: { messagesPerSecond: 1, burst: 5 } });
  expect((await sendAs(url, 'one', batchOf(5))).status).toBe(200);
  expect((await sendAs(url, 'one', batchOf(1, 'n'))).status).toBe(429);
  expect((await sendAs(url, 'two', batchOf(5, 'n'))).status).toBe(200);
});

test('a request that one limit refuses takes nothing from the other limit', async () => {
  const { url } = await limited({
    rateLimit: { messagesPerSecond: 1, burst: 10 },
    rateLimitPerWriteKey: { messagesPerSecond: 1, burst: 5 },
  });
  expect((await sendAs(url, 'one', batchOf(5, 'a'))).status).toBe(200);
  expect((await sendAs(url, 'one', batchOf(5, 'b'))).status).toBe(429);
  expect((await sendAs(url, 'two', batchOf(5, 'c'))).status).toBe(200);
});

test('a source that has used up its limit is refused before the body is read', async () => {
  const { url } = await limited({ rateLimit: { messagesPerSecond: 1, burst: 1 } });
  await sendAs(url, 'one', batchOf(1));
  const { socket, ended } = await rawConnection(Number(new URL(url).port));
  const authorization = `Authorization: ${basic('one')}`;
  socket.write(
    `POST /v1/batch HTTP/1.1\r\nHost: x\r\n${authorization}\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`,
  );
  expect(await ended).toMatch(/^HTTP\/1\.1 429 .*"code":"rate_limited"/s);
});

test('a reload neither resets the limits nor keeps a removed limit', async () => {
  const { url, service, config } = await limited({ rateLimit: { messagesPerSecond: 1, burst: 5 } });
  await sendAs(url, 'one', batchOf(5));
  await service.reload({ ...config, log: { level: 'warn' } });
  expect((await sendAs(url, 'one', batchOf(1, 'n'))).status).toBe(429);
  const [website, app] = config.sources;
  if (website === undefined || app === undefined) throw new Error('There are two');
  await service.reload({ ...config, sources: [{ ...website, rateLimit: undefined }, app] });
  expect((await sendAs(url, 'one', batchOf(1, 'n'))).status).toBe(200);
});

test('refused requests are counted by source', async () => {
  const { url } = await limited({ rateLimit: { messagesPerSecond: 1, burst: 1 } });
  for (let request = 0; request < 3; request++) await sendAs(url, 'one', batchOf(1, `${request}`));
  const { body } = await ask(url, '/metrics');
  expect(body).toMatch(/^eventferry_refused_requests_total\{source="website",reason="rate_limited"\} 2$/m);
  expect(body).toMatch(/^eventferry_refused_requests_total\{source="app",reason="rate_limited"\} 0$/m);
  expect(body).toMatch(/^eventferry_collector_requests_total\{status="429"\} 2$/m);
});
