import { describe, expect, onTestFinished, test } from 'vitest';
import { ErasedUsers } from '../../../src/ledger/attempts/erased-users.js';
import { placesWith } from '../../../src/ledger/attempts/id-index.js';
import type { KeptAttempts } from '../../../src/ledger/attempts/kept-attempts.js';
import { unpack } from '../../../src/ledger/attempts/pack.js';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import type { Storage } from '../../../src/store/storage.js';
import type { StorageUnderTest } from '../../store/storage-under-test.js';
import { FakeClock } from '../../support/fake-clock.js';
import { counted, exchangedOf, openAttempts, range } from './support.js';

/** Tests on every storage which recent deliveries a deletion covers. `isShared`: several processes have the storage open. */
export function describeErasing({ name, lasts, setUp }: StorageUnderTest, { isShared = false } = {}): void {
  const start = async () => {
    const open = await setUp();
    const clock = new FakeClock();
    const openOnce = async (): Promise<Storage> => {
      const storage = await open();
      if (lasts) onTestFinished(() => storage.close());
      return storage;
    };
    const first = await openOnce();
    /** Opens the recent deliveries of a process or, if only one process can have the storage, of another service in it. */
    const process = async (through: (store: KeyValueStore) => KeyValueStore = (store) => store) => {
      const { keyValues } = isShared ? await openOnce() : first;
      const opened = openAttempts({ keyValues: through(keyValues), clock });
      return { ...opened, erase: erasing(opened.recent, new ErasedUsers(keyValues, clock, true)) };
    };
    return { clock, process };
  };

  describe(`erasing users from the recent deliveries in ${name}`, () => {
    test('erasing removes attempts whose message names a user as userId, anonymousId or previousId, and no others', async () => {
      const { recent, add, kept, erase } = await (await start()).process();
      add('by user', { message: { userId: 'ann', anonymousId: 'a1' } });
      add('by anonymous id', { message: { anonymousId: 'ann' } });
      add('by previous id', { message: { type: 'alias', userId: 'bob', previousId: 'ann' } });
      add('of another', { message: { userId: 'annie', properties: { userId: 'ann' } } });
      add('elsewhere', { message: { userId: 'ann' } }, 'ads');
      add('notification', { message: { type: 'delete', userId: 'ann' } });
      await recent.write();
      expect(await erase(['ann', 'nobody'])).toBe(4);
      expect(await kept()).toEqual(['notification', 'of another']);
      expect(await kept('ads')).toEqual([]);
    });

    test('erasing leaves nothing of the users in any key or value, even across many chunks', async () => {
      const { recent, add, kept, keyValues, erase } = await (await start()).process();
      for (const id of range(1, 240)) add(id, { message: { userId: id.endsWith('7') ? 'ann@example.com' : 'bob' } });
      await recent.write();
      expect(await textsIn(keyValues)).toContain('ann@example.com');
      expect(await erase(['ann@example.com'])).toBe(24);
      expect(await textsIn(keyValues)).not.toContain('ann@example.com');
      expect(await kept()).toEqual(
        range(1, 240)
          .filter((id) => !id.endsWith('7'))
          .toReversed(),
      );
    });

    test('erasing for some sources keeps attempts of another source or none', async () => {
      const { recent, kept, erase } = await (await start()).process();
      for (const source of ['web', 'app', undefined]) {
        const exchanged = exchangedOf(`of ${source}`, { at: 1, message: { userId: 'ann' } });
        recent.unwritten.record({ ...exchanged, source });
      }
      await recent.write();
      expect(await erase(['ann'], { sources: ['web'] })).toBe(1);
      expect((await kept()).toSorted()).toEqual(['of app', 'of undefined']);
    });

    test('erasing removes chunks that have no attempts left, and all their index entries', async () => {
      const { recent, add, keyValues, erase } = await (await start()).process();
      const entries = () => Promise.all(OF_CHUNKS.map(async (of) => (await keyValues.list(of, undefined, 10)).length));
      add('m1', { message: { userId: 'ann' } });
      await recent.write();
      expect(await entries()).toEqual([1, 1, 1, 1]);
      expect(await erase(['ann'])).toBe(1);
      expect(await entries()).toEqual([0, 0, 0, 0]);
    });

    test('an erased attempt is no longer found by its id, and those beside it in the chunk still are', async () => {
      const { recent, add, keyValues, erase } = await (await start()).process();
      add('m1', { message: { userId: 'ann' } });
      add('m2', { message: { userId: 'bob' } });
      await recent.write();
      expect(await erase(['ann'])).toBe(1);
      expect(await placesWith(keyValues, 'm1')).toEqual([]);
      expect(await placesWith(keyValues, 'm2')).toHaveLength(1);
    });

    test('erasing covers attempts that this process had not yet written', async () => {
      const { recent, add, kept, erase } = await (await start()).process();
      add('m1', { message: { userId: 'ann' } });
      add('m2', { message: { userId: 'bob' } });
      expect(await erase(['ann'])).toBe(0);
      await recent.write();
      expect(await kept()).toEqual(['m2']);
    });

    test('after erasing, a delivery of an event that was accepted earlier is not kept when it ends', async () => {
      const { process, clock } = await start();
      const { recent, add, kept, erase } = await process();
      await erase(['ann']);
      await clock.pass(3_600_000);
      add('before', { message: { userId: 'ann' } });
      add('settled meanwhile', { isSettled: true, message: { userId: 'ann' } });
      // The clock of the process that accepted the event was behind.
      add('after', { acceptedAt: clock.now() - 7_200_000, epoch: 1, message: { userId: 'ann' } });
      await recent.write();
      expect(await kept()).toEqual(['after']);
    });

    test('erasing covers attempts that another process writes at the same time', async () => {
      const { process } = await start();
      const here = await process();
      // The other process has already looked for deletions when this one happens.
      const there = await process((store) => interrupting(store, () => here.erase(['ann'])));
      there.add('m1', { message: { userId: 'ann' } });
      there.add('m2', { message: { userId: 'bob' } });
      await there.recent.write();
      expect(await there.kept()).toEqual(['m2']);
    });

    test('an interrupted erasure begins again in another process, and counts each attempt once', async () => {
      const { process } = await start();
      const one = await process();
      for (const id of range(1, 200)) one.add(id, { message: { userId: 'ann' } });
      await one.recent.write();
      const stopped = new AbortController();
      const before = await one.erase(['ann'], { signal: stopped.signal, onChunk: () => stopped.abort() });
      expect(before).toBe(50);
      const other = await process();
      expect(await other.erase(['ann'])).toBe(150);
      expect(await other.kept()).toEqual([]);
    });

    test('two deletions of the same chunks at the same time both remove their users', async () => {
      const { recent, add, kept, erase } = await (await start()).process();
      for (const id of range(1, 120)) add(id, { message: { userId: `u${Number(id.slice(1)) % 3}` } });
      await recent.write();
      expect(await Promise.all([erase(['u0']), erase(['u1'])])).toEqual([40, 40]);
      expect(await kept()).toHaveLength(40);
    });
  });
}

/** The prefixes under which chunks and their indexes are kept. */
const OF_CHUNKS = ['attempts/', 'attempt-index/', 'attempt-times/', 'attempt-ids/'];

/** Returns everything that a store holds of attempts and deletions as one readable text. */
async function textsIn(keyValues: KeyValueStore): Promise<string> {
  const prefixes = [...OF_CHUNKS, 'recent-erased/', 'recent-erasure/'];
  const all = await Promise.all(prefixes.map((prefix) => keyValues.list(prefix, undefined, 1_000)));
  return all
    .flat()
    .map(({ key, value }) => `${key} ${unpack(value.slice(value.indexOf('\n') + 1))}`)
    .join();
}

/** Makes a function that erases users and returns how many attempts it removed. */
const erasing =
  (recent: KeptAttempts, erasedUsers: ErasedUsers) =>
  async (
    users: readonly string[],
    { signal = new AbortController().signal, onChunk = () => {}, sources = undefined as string[] | undefined } = {},
  ) => {
    let erased = 0;
    const onErased = (attempts: number): void => {
      erased += attempts;
      onChunk();
    };
    await recent.erase(users, { deletion: await erasedUsers.count(), sources, signal, counted, onErased });
    return erased;
  };

/** Wraps a store so that it calls `act` before its first conditional write. */
function interrupting(store: KeyValueStore, act: () => Promise<unknown>): KeyValueStore {
  let isFirst = true;
  return {
    get: (keys) => store.get(keys),
    list: (...args) => store.list(...args),
    write: (changes) => store.write(changes),
    removeAll: (prefix) => store.removeAll(prefix),
    writeIf: async (...args) => {
      if (isFirst) {
        isFirst = false;
        await act();
      }
      return store.writeIf(...args);
    },
  };
}
