import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { client, track } from '../support/client.js';
import { sink } from '../support/sink.js';
import { temporaryFolder } from '../support/temporary-folder.js';

test.each([true, false])(
  'the journal of a client is opened when the client is created only if it is enabled: %s',
  async (enabled) => {
    const { url } = await sink();
    const journal = join(temporaryFolder(), 'journal');
    const { analytics } = client({ endpoint: url, journal, enabled });
    analytics.track(track());
    await analytics.close();
    expect(existsSync(journal)).toBe(enabled);
  },
);

test("the messages of a client's calls are sent, counted and reported", async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const told: string[] = [];
  analytics.on('delivered', ({ message }) => told.push(message.messageId));
  const { messageId } = analytics.track(track());
  await analytics.flush();
  expect(collector.messages).toMatchObject([{ messageId, event: 'Order Completed' }]);
  expect(analytics.stats()).toMatchObject({ accepted: 1, delivered: 1, pending: 0 });
  expect(told).toEqual([messageId]);
});
