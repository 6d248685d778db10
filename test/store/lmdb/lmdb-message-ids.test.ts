import { describe, expect, onTestFinished, test } from 'vitest';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { LmdbMessageIds } from '../../../src/store/lmdb/lmdb-message-ids.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { KEEP_MS } from '../../../src/store/storage.js';
import { newFolder } from '../../cli/files.js';
import { FakeClock } from '../../support/fake-clock.js';
import { describeIntake } from '../intake-conformance.js';
import { lmdbUnderTest } from '../storage-under-test.js';

describeIntake(lmdbUnderTest);

const NOW = Date.parse('2026-11-20T12:00:00.000Z');

async function openIn(path: string) {
  const environment = await LmdbEnvironment.open({ path, lock: 'alone' });
  onTestFinished(() => environment.close());
  const messageIds = new LmdbMessageIds(environment);
  const kept = environment.db.openDB({ name: 'service/seen', encoding: 'binary', keyEncoding: 'binary' });
  /** Returns for each id whether it was new. */
  const keep = (all: readonly string[], nowMs: number): Promise<boolean[]> =>
    environment.commits.runDurably(() => all.map((id) => messageIds.keep('web', id, nowMs)));
  return { environment, messageIds, keep, countKept: () => kept.getKeysCount() };
}

const ids = (count: number, prefix = 'm'): string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('seen ids on the disk', () => {
  test('seen ids on the disk are forgotten once they are no longer needed, and not before', async () => {
    const { messageIds, keep, countKept } = await openIn(await newFolder());
    await keep(ids(2_500), NOW);
    await keep(ids(3, 'later'), NOW + KEEP_MS);
    await messageIds.forget(NOW + KEEP_MS);
    expect(countKept()).toBe(2_503);
    await messageIds.forget(NOW + 2 * KEEP_MS);
    expect(countKept()).toBe(3);
    expect(await keep(ids(3, 'later'), NOW + 2 * KEEP_MS - 1)).toEqual([false, false, false]);
  });

  test('seen ids on the disk are known even if the clock was set back to the day before', async () => {
    const { keep } = await openIn(await newFolder());
    await keep(['m1'], NOW);
    expect(await keep(['m1', 'm2'], NOW - KEEP_MS)).toEqual([false, true]);
  });

  test('forgetting seen ids on the disk does not block other jobs', async () => {
    const { environment, messageIds, keep, countKept } = await openIn(await newFolder());
    await keep(ids(5_000), NOW);
    const forgetting = messageIds.forget(NOW + 3 * KEEP_MS);
    // Waits only until the job is visible: during a slow write to the disk, all ids might be forgotten.
    await environment.commits.run(() => undefined);
    expect(countKept()).toBeGreaterThan(0);
    await forgetting;
    expect(countKept()).toBe(0);
  });

  test('seen ids on the disk are forgotten in the background, every minute', async () => {
    const path = await newFolder();
    const clock = new FakeClock(NOW);
    const storage = await lmdbStorage({ path, clock });
    const intakes = ids(10).map((id) => ({ id, body: Buffer.of(), deliveries: [] }));
    await storage.takeIn('web', intakes, NOW - 3 * KEEP_MS);
    await clock.pass(61_000);
    await storage.close();
    const { countKept } = await openIn(path);
    expect(countKept()).toBe(0);
  });
});
