import { describe, expect, onTestFinished, test } from 'vitest';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { LmdbMessageIdStore } from '../../../src/store/lmdb/lmdb-message-id-store.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { CLAIM_MS, KEEP_MS } from '../../../src/store/message-id-store.js';
import { newFolder } from '../../cli/files.js';
import { FakeClock } from '../../support/fake-clock.js';
import { describeMessageIdStore } from '../message-id-store-conformance.js';
import { lmdbUnderTest } from '../storage-under-test.js';

describeMessageIdStore(lmdbUnderTest);

const NOW = Date.parse('2026-11-20T12:00:00.000Z');

async function openIn(path: string) {
  const environment = await LmdbEnvironment.open({ path, lock: 'none' });
  onTestFinished(() => environment.close());
  const messageIds = new LmdbMessageIdStore(environment, { me: () => 1, isPresent: () => true });
  const countOf = (name: string): number =>
    environment.db.openDB({ name, encoding: 'binary', keyEncoding: 'binary' }).getKeysCount();
  const counts = () => ({ kept: countOf('service/seen'), claims: countOf('service/claims') });
  return { environment, messageIds, counts };
}

const ids = (count: number, prefix = 'm'): string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('seen ids on the disk', () => {
  test('are forgotten when nobody asks for them any more, and not before', async () => {
    const { messageIds, counts } = await openIn(await newFolder());
    await messageIds.keep('web', ids(2_500), NOW);
    await messageIds.keep('web', ids(3, 'later'), NOW + KEEP_MS);
    await messageIds.forget(NOW + KEEP_MS);
    expect(counts().kept).toBe(2_503);
    await messageIds.forget(NOW + 2 * KEEP_MS);
    expect(counts().kept).toBe(3);
    expect(await messageIds.claim('web', ids(3, 'later'), NOW + 2 * KEEP_MS - 1)).toEqual(['kept', 'kept', 'kept']);
  });

  test('hold nobody up while they are forgotten', async () => {
    const { environment, messageIds, counts } = await openIn(await newFolder());
    await messageIds.keep('web', ids(5_000), NOW);
    const forgetting = messageIds.forget(NOW + 3 * KEEP_MS);
    // Not until it is on the disk: while a slow one writes this, all may be forgotten.
    await environment.commits.run(() => undefined);
    expect(counts().kept).toBeGreaterThan(0);
    await forgetting;
    expect(counts().kept).toBe(0);
  });

  test('are claimed in one place and kept in another, so that of a claim nothing is left', async () => {
    const { messageIds, counts } = await openIn(await newFolder());
    await messageIds.claim('web', ids(10), NOW);
    expect(counts()).toEqual({ kept: 0, claims: 10 });
    await messageIds.keep('web', ids(4), NOW);
    await messageIds.release('web', ids(8));
    expect(counts()).toEqual({ kept: 4, claims: 2 });
    await messageIds.forget(NOW + CLAIM_MS - 1);
    expect(counts().claims).toBe(2);
    await messageIds.forget(NOW + CLAIM_MS);
    expect(counts().claims).toBe(0);
  });

  test('are let go of by whoever claims them now, and not by one whose claim has ended', async () => {
    const { environment, messageIds } = await openIn(await newFolder());
    const other = new LmdbMessageIdStore(environment, { me: () => 2, isPresent: () => true });
    await messageIds.claim('web', ['m1'], NOW);
    expect(await other.claim('web', ['m1'], NOW + CLAIM_MS)).toEqual(['new']);
    await messageIds.release('web', ['m1']);
    expect(await messageIds.claim('web', ['m1'], NOW + CLAIM_MS)).toEqual(['claimed']);
    await other.release('web', ['m1']);
    expect(await messageIds.claim('web', ['m1'], NOW + CLAIM_MS)).toEqual(['new']);
  });

  test('are forgotten in the background, every minute', async () => {
    const path = await newFolder();
    const clock = new FakeClock(NOW);
    const storage = await lmdbStorage({ path, clock });
    await storage.messageIds.claim('web', ids(10), NOW);
    await clock.pass(61_000);
    await storage.close();
    const { counts } = await openIn(path);
    expect(counts().claims).toBe(0);
  });
});
