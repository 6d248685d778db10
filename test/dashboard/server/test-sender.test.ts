import { expect, onTestFinished, test } from 'vitest';
import { startDev } from '../../../src/cli/dev/dev-server.js';
import { createTestSender } from '../../../src/dashboard/server/test-sender.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';

async function sending(writeKey = 'dev') {
  const server = await startDev({ port: 0, host: '127.0.0.1', writeKey: 'dev' }, '<script></script>');
  const sender = createTestSender(writeKey);
  sender.start(server.url);
  onTestFinished(async () => {
    await sender.close();
    await server.close();
  });
  return sender;
}

test('the test sender sends an event through the collector and returns its id', async () => {
  const sender = await sending();
  expect(await sender.send({ type: 'track', event: 'Paid', userId: 'u1', messageId: 'm1' })).toEqual({
    isDelivered: true,
    text: 'm1',
  });
});

test.each([
  [{ type: 'delete', userId: 'u1' }, /^Choose a type\.$/],
  [{ event: 'Paid' }, /^Choose a type\.$/],
  [{ type: 'track', userId: 'u1' }, /event/],
])('the test sender reports what is wrong with %j', async (message, reason) => {
  const { isDelivered, text } = await (await sending()).send(message);
  expect(isDelivered).toBe(false);
  expect(text).toMatch(reason);
});

test('the test sender reports that the collector refused its write key', async () => {
  const { isDelivered, text } = await (await sending('wrong')).send({ type: 'track', event: 'Paid', userId: 'u1' });
  expect(isDelivered).toBe(false);
  expect(text).toMatch(/401/);
});

test('the test sender refuses a message if it was not started', async () => {
  expect(await createTestSender('dev').send({ type: 'track' })).toMatchObject({ isDelivered: false });
});

test('the test sender does not retry when the collector cannot accept the message', async () => {
  const { url, received } = await startEndpoint(503);
  const sender = createTestSender('dev');
  onTestFinished(() => sender.close());
  sender.start(new URL(url).origin);
  expect((await sender.send({ type: 'track', event: 'Paid', userId: 'u1' })).isDelivered).toBe(false);
  expect(received).toHaveLength(1);
});
