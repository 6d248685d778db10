import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import type { Storage } from '../../src/store/storage.js';
import { type Intake, KEEP_MS, type TakenIn } from '../../src/store/storage.js';
import type { StorageUnderTest } from './storage-under-test.js';

const body = Buffer.from('{"type":"track"}');

/** Tests the intake of messages, which every storage must pass. */
export function describeIntake({ name, lasts, setUp, pass }: StorageUnderTest): void {
  describe(`the intake of ${name}`, () => {
    let now: number;
    let open: () => Promise<Storage>;
    let storage: Storage;
    const intakeOf = async (id: string, destinations: readonly string[], source = 'web'): Promise<Intake> => {
      const stores = await Promise.all(destinations.map((destination) => storage.deliveries(destination)));
      const event = newEvent(id, 'track', [`${name}-url`], now, { source, bytes: body.length });
      return { id, body, deliveries: stores.map((store) => ({ store, event })) };
    };
    /** Takes in messages without destinations, and returns the outcome of each as one word. */
    const take = async (ids: readonly string[], source = 'web'): Promise<string[]> => {
      const taken = await storage.takeIn(source, await Promise.all(ids.map((id) => intakeOf(id, [], source))), now);
      return taken.map((became) => (typeof became === 'string' ? became : 'new'));
    };
    const takeTo = async (destinations: readonly string[], id: string, source = 'web'): Promise<TakenIn | undefined> =>
      (await storage.takeIn(source, [await intakeOf(id, destinations, source)], now))[0];

    beforeEach(async () => {
      now = Date.now();
      open = await setUp();
      storage = await open();
    });

    afterEach(() => storage.close());

    test('a message is new once, and known from then on', async () => {
      expect(await take(['a'])).toEqual(['new']);
      expect(await take(['a'])).toEqual(['known']);
    });

    test('a new message is stored for each of its destinations, with one body', async () => {
      expect(await takeTo(['crm', 'ads'], 'm1')).toEqual(['m1', 'm1']);
      for (const destination of ['crm', 'ads']) {
        const store = await storage.deliveries(destination);
        expect(await store.event('m1')).toMatchObject({ id: 'm1', source: 'web', acceptedAt: now });
        expect(Buffer.from((await store.body('m1')) ?? [])).toEqual(body);
        expect(await store.backlog()).toEqual([{ url: `${name}-url`, first: 1, retry: 0, bytes: body.length }]);
      }
      expect(await (await storage.deliveries('mail')).event('m1')).toBeUndefined();
    });

    test.each(['m1', '//a/b', '\ud800'])(
      'the sources that have sent the id %j within a day are returned',
      async (id) => {
        await take([id]);
        await take([id], 'app');
        await take(['other'], 'shop');
        expect(await storage.sendersOf(id, ['shop', 'web', 'app'], now)).toEqual(['web', 'app']);
        expect(await storage.sendersOf(id, [], now)).toEqual([]);
      },
    );

    test('a known message changes nothing', async () => {
      await take(['m1']);
      expect(await takeTo(['crm'], 'm1')).toBe('known');
      expect(await (await storage.deliveries('crm')).event('m1')).toBeUndefined();
    });

    test('a message that arrives again after its delivery is not delivered again', async () => {
      const crm = await storage.deliveries('crm');
      await takeTo(['crm'], 'm1');
      await crm.update('m1', () => undefined);
      expect(await takeTo(['crm'], 'm1')).toBe('known');
      expect(await crm.event('m1')).toBeUndefined();
    });

    test('a destination that already has the message does not get it again, but another one does', async () => {
      const crm = await storage.deliveries('crm');
      await crm.add(newEvent('m1', 'track', [`${name}-url`], now, { source: 'web' }), body);
      expect(await takeTo(['crm', 'ads'], 'm1')).toEqual([undefined, 'm1']);
    });

    test('a message is stored with its source in the id if another source has used the id', async () => {
      expect(await takeTo(['crm'], 'm1')).toEqual(['m1']);
      expect(await takeTo(['crm', 'ads'], 'm1', 'app')).toEqual(['//app/m1', 'm1']);
      const crm = await storage.deliveries('crm');
      expect(await crm.event('//app/m1')).toMatchObject({ id: '//app/m1', source: 'app' });
      expect(Buffer.from((await crm.body('//app/m1')) ?? [])).toEqual(body);
    });

    test('each destination ends its own delivery of a message, and the others keep theirs', async () => {
      await takeTo(['crm', 'ads'], 'm1');
      const [crm, ads] = await Promise.all([storage.deliveries('crm'), storage.deliveries('ads')]);
      await crm.update('m1', () => undefined);
      expect([await crm.event('m1'), await crm.body('m1')]).toEqual([undefined, undefined]);
      expect(Buffer.from((await ads.body('m1')) ?? [])).toEqual(body);
      await ads.update('m1', () => undefined);
      expect([await ads.event('m1'), await ads.body('m1')]).toEqual([undefined, undefined]);
    });

    test('the outcomes are in the order of the messages', async () => {
      await take(['b', 'd']);
      expect(await take(['a', 'b', 'c', 'd'])).toEqual(['new', 'known', 'new', 'known']);
    });

    test('if two calls take in the same message at the same time, it is new for only one of them', async () => {
      const taken = await Promise.all([take(['a']), take(['a'])]);
      expect(taken.flat().filter((became) => became === 'new')).toHaveLength(1);
    });

    test('ids of different sources are independent', async () => {
      await take(['a']);
      expect(await take(['a'], 'app')).toEqual(['new']);
      expect(await take(['ba', 'b'], 'we')).toEqual(['new', 'new']);
    });

    test('an id may be any text', async () => {
      const ids = ['', ' ', '\0', '/', 'é', 'e\u0301', '\u{1F600}', 'x'.repeat(2_000), `${'x'.repeat(2_000)}y`];
      expect(await take(ids)).toEqual(ids.map(() => 'new'));
      expect(await take(ids)).toEqual(ids.map(() => 'known'));
    });

    test('an id is not confused with one that differs only in a lone surrogate, or with its JSON', async () => {
      await take(['\ud800']);
      expect(await take(['\udbff', '\\ud800', '"\\ud800"', '\ufffd'])).toEqual(['new', 'new', 'new', 'new']);
      expect(await take(['\ud800'])).toEqual(['known']);
    });

    test('a source and an id are not confused with others that form the same text together', async () => {
      await take(['1:a/b']);
      for (const [source, id] of [
        ['we', 'b1:a/b'],
        ['web1', ':a/b'],
        ['web1:a', '/b'],
        ['', 'web1:a/b'],
      ] as const)
        expect(await take([id], source)).toEqual(['new']);
    });

    test('an empty list of messages is accepted', async () => {
      expect(await take([])).toEqual([]);
    });

    test('thousands of simultaneous messages are distinguished', async () => {
      const ids = Array.from({ length: 5_000 }, (_, index) => `m${index}`);
      await take(ids.slice(0, 2_500));
      expect(await take(ids)).toEqual(ids.map((_, index) => (index < 2_500 ? 'known' : 'new')));
    });

    if (lasts) {
      test('messages that were taken in are known and wait when the storage is opened again', async () => {
        const known = [{ key: `${name}-url`, url: `${name}-url` }];
        for (const each of ['crm', 'ads']) await (await storage.deliveries(each)).webhooks.update(() => known);
        await takeTo(['crm', 'ads'], 'm1');
        await storage.close();
        storage = await open();
        expect(await take(['m1'])).toEqual(['known']);
        for (const destination of ['crm', 'ads'])
          expect(Buffer.from((await (await storage.deliveries(destination)).body('m1')) ?? [])).toEqual(body);
      });
    }

    if (pass === undefined) return;
    /** A margin that is longer than the test runs, because the clock of a server continues meanwhile. */
    const NEARLY_MS = 10_000;
    const wait = async (ms: number): Promise<void> => {
      now += ms;
      await pass(ms);
    };

    test('an id is remembered for a day', async () => {
      await take(['a']);
      await wait(KEEP_MS - NEARLY_MS);
      expect(await take(['a'])).toEqual(['known']);
    });

    test('an id is new some time after a day, and is then remembered for another day', async () => {
      await take(['a']);
      await wait(1.2 * KEEP_MS);
      expect(await take(['a'])).toEqual(['new']);
      await wait(KEEP_MS - NEARLY_MS);
      expect(await take(['a'])).toEqual(['known']);
    });
  });
}
