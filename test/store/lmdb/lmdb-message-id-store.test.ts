import { describe, expect, onTestFinished, test } from 'vitest';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { LmdbMessageIdStore } from '../../../src/store/lmdb/lmdb-message-id-store.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { KEEP_MS } from '../../../src/store/message-id-store.js';
import { newFolder } from '../../cli/files.js';
import { FakeClock } from '../../support/fake-clock.js';
import { describeMessageIdStore } from '../message-id-store-conformance.js';
import { lmdbUnderTest } from '../storage-under-test.js';

describeMessageIdStore(lmdbUnderTest);

const NOW = Date.parse('2026-11-20T12:00:00.000Z');

async function openIn(path: string) {
  const environment = await LmdbEnvironment.open({ path, lock: 'alone' });
  onTestFinished(() => environment.close());
  const messageIds = new LmdbMessageIdStore(environment);
  const kept = environment.db.openDB({ name: 'service/seen', encoding: 'binary', keyEncoding: 'binary' });
  return { environment, messageIds, countKept: () => kept.getKeysCount() };
}

const ids = (count: number, prefix = 'm'): string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('seen ids on the disk', () => {
  test('are forgotten when nobody asks for them any more, and not before', async () => {
    const { messageIds, countKept } = await openIn(await newFolder());
    await messageIds.keep('web', ids(2_500), NOW);
    await messageIds.keep('web', ids(3, 'later'), NOW + KEEP_MS);
    await messageIds.forget(NOW + KEEP_MS);
    expect(countKept()).toBe(2_503);
    await messageIds.forget(NOW + 2 * KEEP_MS);
    expect(countKept()).toBe(3);
    expect(await messageIds.claim('web', ids(3, 'later'), NOW + 2 * KEEP_MS - 1)).toEqual(['kept', 'kept', 'kept']);
  });

  test('hold nobody up while they are forgotten', async () => {
    const { environment, messageIds, countKept } = await openIn(await newFolder());
    await messageIds.keep('web', ids(5_000), NOW);
    const forgetting = messageIds.forget(NOW + 3 * KEEP_MS);
    // Not until it is on the disk: while a slow one writes this, all may be forgotten.
    await environment.commits.run(() => undefined);
    expect(countKept()).toBeGreaterThan(0);
    await forgetting;
    expect(countKept()).toBe(0);
  });

  test('are claimed by a process as long as it lives, so that a claim takes no write and outlives no crash', async () => {
    const path = await newFolder();
    const { environment, messageIds } = await openIn(path);
    expect(await messageIds.claim('web', ['m1'], NOW)).toEqual(['new']);
    expect(await messageIds.claim('web', ['m1'], NOW)).toEqual(['claimed']);
    expect(environment.commits.transaction).toBe(0);
    const next = new LmdbMessageIdStore(environment);
    expect(await next.claim('web', ['m1'], NOW)).toEqual(['new']);
  });

  test('are forgotten in the background, every minute', async () => {
    const path = await newFolder();
    const clock = new FakeClock(NOW);
    const storage = await lmdbStorage({ path, clock });
    await storage.messageIds.keep('web', ids(10), NOW - 3 * KEEP_MS);
    await clock.pass(61_000);
    await storage.close();
    const { countKept } = await openIn(path);
    expect(countKept()).toBe(0);
  });
});
