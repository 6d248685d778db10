import { expect, test } from 'vitest';
import { openLoop } from '../../../src/cli/demo/loop.js';
import { Analytics } from '../../../src/client/analytics.js';

test('the loop of the demo reports each message at the collector and in a signed delivery', async () => {
  const [collected, delivered]: [string[], string[]] = [[], []];
  const loop = await openLoop({
    port: 0,
    writeKey: 'dev',
    onCollected: ({ messageId }) => collected.push(messageId),
    onDelivered: (event) => void ('messageId' in event && delivered.push(event.messageId)),
  });
  const analytics = new Analytics({ writeKey: 'dev', endpoint: loop.url });
  const ids = Array.from({ length: 1_200 }, (_, index) => `m${index}`);
  await analytics.import(ids.map((messageId) => ({ type: 'identify', messageId, userId: 'u1', timestamp: 0 })));
  await analytics.close();
  await loop.delivered();
  await loop.close();
  expect(collected).toEqual(ids);
  expect(delivered.toSorted()).toEqual(ids.toSorted());
});
