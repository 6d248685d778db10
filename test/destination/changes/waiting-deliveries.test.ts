import { expect, test } from 'vitest';
import { lmdbUnderTest, memoryUnderTest } from '../../store/storage-under-test.js';
import { openDestination } from '../open.js';
import { describeWaiting } from '../waiting-conformance.js';

for (const under of [memoryUnderTest, lmdbUnderTest]) describeWaiting(under);

test('a discard without a filter is refused with an example that names an existing reason', async () => {
  const { destination } = await openDestination({ webhooks: [{ url: 'http://127.0.0.1:9/hook' }] });
  // A program without types may pass this.
  await expect(destination.discard(null as never)).rejects.toThrow("Write { reason: 'window-over' }");
});
