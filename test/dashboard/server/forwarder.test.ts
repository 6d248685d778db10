import { expect, onTestFinished, test } from 'vitest';
import { Forwarder } from '../../../src/dashboard/server/forwarder.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { messageOf } from './message-of.js';

async function opened(...webhooks: string[]) {
  const skipped: string[] = [];
  const forwarder = await Forwarder.open({ webhooks }, ({ messageId }, reason) =>
    skipped.push(`${messageId}: ${reason}`),
  );
  onTestFinished(() => forwarder.close());
  const phaseOf = async (id: string) => (await forwarder.destination.explain(id))?.endpoints[0]?.phase;
  return { forwarder, skipped, phaseOf };
}

test('forwarder tells why it skips a message that leaves out webhooks, and one whose id is dead', async () => {
  const { url, has } = await startEndpoint(410);
  const { forwarder, skipped, phaseOf } = await opened(url);
  await forwarder.forward([messageOf('m1', { integrations: { Webhooks: false } }), messageOf('m2')]);
  await has(1);
  await expect.poll(() => phaseOf('m2')).toBe('dead');
  await forwarder.forward([messageOf('m2')]);
  expect(skipped).toEqual([
    'm1: its integrations leave out Webhooks',
    'm2: one of the same id waits, or is dead, at a webhook',
  ]);
});

test('forwarder knows a message until it is cleared, and then no longer replays it', async () => {
  const { url, has } = await startEndpoint(200);
  const { forwarder } = await opened(url);
  await forwarder.forward([messageOf('m1')]);
  await has(1);
  expect(forwarder.message('m1')?.messageId).toBe('m1');
  await expect.poll(() => forwarder.replay('m1', url)).toEqual({ isDone: true, text: 'Sent again to each webhook' });
  await has(2);
  await forwarder.clear();
  expect(forwarder.message('m1')).toBeUndefined();
  await expect
    .poll(() => forwarder.replay('m1', url))
    .toEqual({ isDone: false, text: 'The message is no longer known' });
});

test('forwarder replays a dead delivery at its webhook alone', async () => {
  const [bad, good] = [await startEndpoint(410, 200), await startEndpoint(200)];
  const { forwarder, phaseOf } = await opened(bad.url, good.url);
  await forwarder.forward([messageOf('m1')]);
  await Promise.all([bad.has(1), good.has(1)]);
  await expect.poll(() => phaseOf('m1')).toBe('dead');
  expect(await forwarder.replay('m1', bad.url)).toEqual({ isDone: true, text: 'Sent again' });
  await bad.has(2);
  expect(good.received).toHaveLength(1);
});

test('forwarder refuses a webhook that is no URL', async () => {
  await expect(Forwarder.open({ webhooks: ['nowhere'] }, () => {})).rejects.toMatchObject({
    code: 'EVENTFERRY_DESTINATION_INVALID_OPTION',
  });
});
