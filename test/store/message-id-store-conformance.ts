import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CLAIM_MS, KEEP_MS, type MessageIdStore } from '../../src/store/message-id-store.js';
import type { Storage } from '../../src/store/storage.js';
import type { StorageUnderTest } from './storage-under-test.js';

/** What every message-id store has to keep. */
export function describeMessageIdStore({ name, lasts, setUp, pass }: StorageUnderTest): void {
  describe(`the message-id store in ${name}`, () => {
    let now: number;
    let open: () => Promise<Storage>;
    let opened: Storage[];
    let messageIds: MessageIdStore;
    const claim = (...ids: string[]) => messageIds.claim('web', ids, now);
    const keep = (...ids: string[]) => messageIds.keep('web', ids, now);
    const release = (...ids: string[]) => messageIds.release('web', ids);
    const openOnce = async (): Promise<Storage> => {
      const storage = await open();
      opened.push(storage);
      return storage;
    };

    beforeEach(async () => {
      now = Date.now();
      opened = [];
      open = await setUp();
      messageIds = (await openOnce()).messageIds;
    });

    afterEach(async () => {
      for (const storage of opened) await storage.close();
    });

    test('an id that nobody claimed is new, and from then on claimed', async () => {
      expect(await claim('a')).toEqual(['new']);
      expect(await claim('a')).toEqual(['claimed']);
    });

    test('an id that was kept is kept', async () => {
      await claim('a');
      await keep('a');
      expect(await claim('a')).toEqual(['kept']);
    });

    test('an id that was released is new', async () => {
      await claim('a');
      await release('a');
      expect(await claim('a')).toEqual(['new']);
    });

    test('what was kept can not be released', async () => {
      await claim('a');
      await keep('a');
      await release('a');
      expect(await claim('a')).toEqual(['kept']);
    });

    test('an id can be kept that nobody claimed', async () => {
      await keep('a');
      expect(await claim('a')).toEqual(['kept']);
    });

    test('the answers come in the order of the ids', async () => {
      await claim('b', 'c');
      await keep('b');
      expect(await claim('a', 'b', 'c', 'd')).toEqual(['new', 'kept', 'claimed', 'new']);
    });

    test('of two claims at once, one gets the id', async () => {
      const claims = await Promise.all([claim('a'), claim('a')]);
      expect(claims.flat().toSorted()).toEqual(['claimed', 'new']);
    });

    test('each source has ids of its own', async () => {
      await claim('a');
      await keep('a');
      expect(await messageIds.claim('app', ['a'], now)).toEqual(['new']);
      expect(await messageIds.claim('we', ['ba', 'b'], now)).toEqual(['new', 'new']);
    });

    test('an id may be any text', async () => {
      const ids = ['', ' ', '\0', '/', 'é', 'e\u0301', '\u{1F600}', 'x'.repeat(2_000), `${'x'.repeat(2_000)}y`];
      expect(await claim(...ids)).toEqual(ids.map(() => 'new'));
      await keep(...ids);
      expect(await claim(...ids)).toEqual(ids.map(() => 'kept'));
    });

    test('an id is not taken for one whose text differs in half a surrogate pair alone, nor for its JSON', async () => {
      await keep('\ud800');
      expect(await claim('\udbff', '\\ud800', '"\\ud800"', '\ufffd')).toEqual(['new', 'new', 'new', 'new']);
      expect(await claim('\ud800')).toEqual(['kept']);
    });

    test('a source and an id are not taken for others that make the same text together', async () => {
      await keep('1:a/b');
      for (const [source, id] of [
        ['we', 'b1:a/b'],
        ['web1', ':a/b'],
        ['web1:a', '/b'],
        ['', 'web1:a/b'],
      ] as const)
        expect(await messageIds.claim(source, [id], now)).toEqual(['new']);
    });

    test('no ids are no trouble', async () => {
      expect(await claim()).toEqual([]);
      await keep();
      await release();
    });

    test('thousands at once are told apart', async () => {
      const ids = Array.from({ length: 5_000 }, (_, index) => `m${index}`);
      await claim(...ids.slice(0, 2_500));
      await keep(...ids.slice(0, 2_500));
      expect(await claim(...ids)).toEqual(ids.map((_, index) => (index < 2_500 ? 'kept' : 'new')));
    });

    if (lasts) {
      test('what was kept is kept when the storage is opened again', async () => {
        await claim('a');
        await keep('a');
        await opened.pop()?.close();
        messageIds = (await openOnce()).messageIds;
        expect(await claim('a')).toEqual(['kept']);
      });
    }

    if (pass === undefined) return;
    /** More than a test takes: the clock of a server goes on meanwhile. */
    const NEARLY_MS = 10_000;
    const wait = async (ms: number): Promise<void> => {
      now += ms;
      await pass(ms);
    };

    test('a claim ends by itself', async () => {
      await claim('a');
      await wait(CLAIM_MS - NEARLY_MS);
      expect(await claim('a')).toEqual(['claimed']);
      await wait(NEARLY_MS + 1);
      expect(await claim('a')).toEqual(['new']);
    });

    test('an id is kept for a day from when it was kept', async () => {
      await claim('a');
      await wait(10_000);
      await keep('a');
      await wait(KEEP_MS - NEARLY_MS);
      expect(await claim('a')).toEqual(['kept']);
    });

    test('an id is new a while after the day', async () => {
      await claim('a');
      await keep('a');
      await wait(1.2 * KEEP_MS);
      expect(await claim('a')).toEqual(['new']);
    });

    test('an id that is kept again is kept for another day', async () => {
      await keep('a');
      await wait(KEEP_MS / 2);
      await keep('a');
      await wait(KEEP_MS - NEARLY_MS);
      expect(await claim('a')).toEqual(['kept']);
    });
  });
}
