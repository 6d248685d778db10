import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../src/delivery/completion-rule.js';
import type { Dead, Retrying } from '../../src/delivery/state.js';
import type { EventStore, QueueKey } from '../../src/store/event-store.js';
import { hasLines } from '../../src/store/line.js';
import { compareQueueKeys } from '../../src/store/queue-key.js';

const A = 'https://a.example/hook';
const B = 'https://b.example/hook';
const body = new TextEncoder().encode('{"type":"track"}');

const retrying = (due: number): Retrying => ({
  phase: 'retrying',
  due,
  firstAttemptAt: 0,
  attempts: 1,
  history: [{ at: 0, durationMs: 12, result: 'server-error', status: 503 }],
});

const dead: Dead = { phase: 'dead', at: 9, reason: 'permanent', history: [] };

const withState = (event: StoredEvent, url: string, state: Retrying | Dead): StoredEvent => ({
  ...event,
  urls: { ...event.urls, [url]: state },
});

const bury = (event: StoredEvent): StoredEvent => ({ ...event, isDead: true });

const answered = (answer: string): Dead => ({
  ...dead,
  history: [{ at: 0, durationMs: 12, result: 'rejected', status: 404, answer }],
});

const idsOf = (places: readonly QueueKey[]): string[] => places.map(({ id }) => id);

/** An event store, with what closes it if it is not closed with its storage. */
export type TestStore = EventStore & { close?(): Promise<void> };

export interface EventStoreUnderTest {
  name: string;
  /** True if a store that is opened again still has its contents. */
  lasts: boolean;
  /** Creates an empty store for one test. The returned function opens it, and always opens the same store. */
  setUp(): Promise<() => Promise<TestStore>>;
}

/** Tests that every event store must pass. */
export function describeEventStore({ name, lasts, setUp }: EventStoreUnderTest): void {
  describe(`the event store in ${name}`, () => {
    let open: () => Promise<TestStore>;
    let store: TestStore;
    const add = (id: string, at: number, urls = [A]) =>
      store.add(newEvent(id, 'track', urls, at, { bytes: body.length }), body);

    beforeEach(async () => {
      open = await setUp();
      store = await open();
    });

    afterEach(() => store.close?.());

    test('an event and its body are returned as they were added', async () => {
      const event = newEvent('e1', 'track', [A, B], 1_000, { bytes: body.length });
      expect(await store.add(event, body)).toBe(true);
      expect(await store.event('e1')).toEqual(event);
      expect(Buffer.from((await store.body('e1')) ?? [])).toEqual(Buffer.from(body));
    });

    test('an event that was never added does not exist', async () => {
      expect(await store.event('none')).toBeUndefined();
      expect(await store.body('none')).toBeUndefined();
      expect(await store.waiting(A, 'first', undefined, 10)).toEqual([]);
    });

    test('a second event with the same id is refused and changes nothing', async () => {
      await add('e1', 1_000);
      expect(await store.add(newEvent('e1', 'identify', [B], 2_000), new Uint8Array([1]))).toBe(false);
      expect(await store.event('e1')).toEqual(newEvent('e1', 'track', [A], 1_000, { bytes: body.length }));
      expect(await store.waiting(B, 'first', undefined, 10)).toEqual([]);
    });

    test('one of two simultaneous additions of one id is refused', async () => {
      const added = await Promise.all([add('e1', 1_000), add('e1', 1_000)]);
      expect(added.toSorted()).toEqual([false, true]);
    });

    test('waiting deliveries are listed by time, then by the bytes of the id', async () => {
      const ids = ['b', '\u{1F600}', 'a', '\uffee', 'aa', '\0'];
      await Promise.all([add('late', 2_000), ...ids.map((id) => add(id, 1_000)), add('early', 999)]);
      const listed = await store.waiting(A, 'first', undefined, 10);
      expect(listed).toEqual(listed.toSorted(compareQueueKeys));
      expect(idsOf(listed).toSorted()).toEqual(['early', 'late', ...ids].toSorted());
      // Other stores order events as they arrive, which `order-conformance.ts` tests.
      if (hasLines(store)) return;
      expect(idsOf(listed)).toEqual(['early', '\0', 'a', 'aa', 'b', '\uffee', '\u{1F600}', 'late']);
    });

    test('a list continues after the key where it stopped, whether or not that delivery still waits', async () => {
      await Promise.all(['a', 'b', 'c', 'd'].map((id) => add(id, 1_000)));
      const [first, second] = await store.waiting(A, 'first', undefined, 2);
      await store.update(second?.id ?? '', () => undefined);
      const rest = ['a', 'b', 'c', 'd'].filter((id) => id !== first?.id && id !== second?.id);
      const [next] = await store.waiting(A, 'first', second, 1);
      const after = await store.waiting(A, 'first', second, 10);
      expect(after[0]).toEqual(next);
      expect(idsOf(after).toSorted()).toEqual(rest);
      expect(await store.waiting(A, 'first', after.at(-1), 10)).toEqual([]);
    });

    test('ids of every form at one time are listed once and in order, page by page', async () => {
      const uuid = '5198f9a0-3c1e-7abc-8def-0123456789ab';
      const ids = [
        uuid,
        uuid.toUpperCase(),
        uuid.replace('5', 'f'),
        '5',
        '6',
        'a',
        'g',
        `${uuid}-2`,
        '\u00ff',
        '\u{1F600}',
      ];
      await Promise.all(ids.map((id) => add(id, 1_000, [A, B])));
      await Promise.all(ids.map((id) => store.update(id, (event) => withState(bury(event), A, retrying(5_000)))));
      const lists = [
        (after: QueueKey | undefined) => store.waiting(B, 'first', after, 3),
        (after: QueueKey | undefined) => store.waiting(A, 'retry', after, 3),
        (after: QueueKey | undefined) => store.dead(after, 3),
      ];
      for (const list of lists) {
        const listed: QueueKey[] = [];
        for (let page = await list(undefined); page.length > 0; page = await list(page.at(-1))) listed.push(...page);
        expect(listed).toEqual(listed.toSorted(compareQueueKeys));
        expect(idsOf(listed).toSorted()).toEqual(ids.toSorted());
      }
    });

    test('each URL has its own list', async () => {
      await add('e1', 1_000, [A, B]);
      await add('e2', 1_001, [B]);
      expect(idsOf(await store.waiting(A, 'first', undefined, 10))).toEqual(['e1']);
      expect(idsOf(await store.waiting(B, 'first', undefined, 10))).toEqual(['e1', 'e2']);
    });

    test('a retry leaves the list of first attempts for the list of retries', async () => {
      await add('e1', 1_000, [A, B]);
      await store.update('e1', (event) => withState(event, A, retrying(6_000)));
      expect(await store.waiting(A, 'first', undefined, 10)).toEqual([]);
      expect(await store.waiting(A, 'retry', undefined, 10)).toMatchObject([{ at: 6_000, id: 'e1' }]);
      expect(idsOf(await store.waiting(B, 'first', undefined, 10))).toEqual(['e1']);
      expect((await store.event('e1'))?.urls[A]).toEqual(retrying(6_000));
    });

    test('a postponed retry is listed once, at the later time', async () => {
      await add('e1', 1_000);
      await store.update('e1', (event) => withState(event, A, retrying(6_000)));
      await store.update('e1', (event) => withState(event, A, retrying(21_000)));
      expect(await store.waiting(A, 'retry', undefined, 10)).toMatchObject([{ at: 21_000, id: 'e1' }]);
    });

    test('a forgotten event leaves nothing behind', async () => {
      await add('e1', 1_000, [A, B]);
      await store.update('e1', () => undefined);
      expect(await store.event('e1')).toBeUndefined();
      expect(await store.body('e1')).toBeUndefined();
      expect(await store.backlog()).toEqual([]);
      expect(await add('e1', 2_000)).toBe(true);
    });

    test('an update of an event that does not exist does nothing', async () => {
      await store.update('none', () => {
        throw new Error('asked to change what is not there');
      });
      expect(await store.event('none')).toBeUndefined();
    });

    test('simultaneous updates of one event each build on the result of the other', async () => {
      await add('e1', 1_000, [A, B]);
      await Promise.all([
        store.update('e1', (event) => withState(event, A, retrying(6_000))),
        store.update('e1', (event) => withState(event, B, retrying(7_000))),
      ]);
      expect((await store.event('e1'))?.urls).toEqual({ [A]: retrying(6_000), [B]: retrying(7_000) });
    });

    test('an update that throws rejects and leaves the event unchanged', async () => {
      await add('e1', 1_000);
      const failing = store.update('e1', () => {
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await store.event('e1')).toEqual(newEvent('e1', 'track', [A], 1_000, { bytes: body.length }));
    });

    test('dead letters are listed in the order in which they were accepted, and only while they are dead', async () => {
      for (const [id, at] of [
        ['late', 2_000],
        ['early', 1_000],
        ['fine', 1_500],
      ] as const)
        await add(id, at);
      for (const id of ['late', 'early']) {
        await store.update(id, (event) => ({ ...withState(event, A, dead), isDead: true }));
      }
      const letters = await store.dead(undefined, 10);
      expect(letters).toMatchObject([
        { at: 1_000, id: 'early' },
        { at: 2_000, id: 'late' },
      ]);
      expect(idsOf(await store.dead(letters[0], 10))).toEqual(['late']);
      await store.update('early', (event) => ({ ...event, isDead: false }));
      expect(idsOf(await store.dead(undefined, 10))).toEqual(['late']);
    });

    test('the backlog counts the deliveries that wait for each URL', async () => {
      await add('e1', 1_000, [A, B]);
      await add('e2', 1_001, [A]);
      await store.update('e2', (event) => withState(event, A, retrying(6_000)));
      const backlog = (await store.backlog()).toSorted((a, b) => a.url.localeCompare(b.url));
      expect(backlog).toEqual([
        { url: A, first: 1, retry: 1, bytes: 32 },
        { url: B, first: 1, retry: 0, bytes: 16 },
      ]);
    });

    test('dead letters are counted by URL, type and reason, with their bodies and answers', async () => {
      expect(await store.deadTotals()).toEqual({ events: 0, bytes: 0, deliveries: [] });
      await add('e1', 1_000, [A, B]);
      await add('e2', 1_001, [A]);
      await store.update('e1', (event) => bury(withState(event, B, { ...dead, reason: 'window-over' })));
      for (const id of ['e1', 'e2']) await store.update(id, (event) => bury(withState(event, A, answered('sorry'))));
      const { deliveries, ...totals } = await store.deadTotals();
      expect(totals).toEqual({ events: 2, bytes: 42 });
      expect(deliveries.toSorted((a, b) => a.url.localeCompare(b.url))).toEqual([
        { url: A, type: 'track', reason: 'permanent', count: 2 },
        { url: B, type: 'track', reason: 'window-over', count: 1 },
      ]);
      await store.update('e1', (event) => withState(event, A, retrying(6_000)));
      expect(await store.deadTotals()).toMatchObject({ events: 2, bytes: 37 });
      for (const id of ['e1', 'e2']) await store.update(id, () => undefined);
      expect(await store.deadTotals()).toEqual({ events: 0, bytes: 0, deliveries: [] });
    });

    test('the counts are right after hundreds of changes in one turn, some of which fail', async () => {
      const ids = Array.from({ length: 500 }, (_, index) => `e${index}`);
      await Promise.all(ids.map((id) => add(id, 1_000)));
      const ends = await Promise.allSettled(
        ids.map((id, index) =>
          store.update(id, (event) => {
            if (index % 100 === 0) throw new Error('no');
            return index % 2 === 0 ? undefined : bury(withState(event, A, dead));
          }),
        ),
      );
      expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(5);
      expect(await store.backlog()).toEqual([{ url: A, first: 5, retry: 0, bytes: 80 }]);
      expect(await store.deadTotals()).toMatchObject({ events: 250, bytes: 4_000 });
    });

    test('the list of webhooks is as it was last recorded, and undefined before', async () => {
      expect(await store.webhooks.read()).toBeUndefined();
      const known = [{ key: A, url: B, id: 'shop' }, { key: `${A}#2`, url: A, isGone: true } as const];
      expect(await store.webhooks.update(() => known)).toEqual(known);
      expect(await store.webhooks.read()).toEqual(known);
      await store.webhooks.update((before = []) => before);
      expect(await store.webhooks.read()).toEqual(known);
    });

    test('simultaneous changes of the webhooks each build on the result of the other', async () => {
      const urls = Array.from({ length: 10 }, (_, index) => `https://${index}.example/`);
      await Promise.all(urls.map((url) => store.webhooks.update((known = []) => [...known, { key: url, url }])));
      expect((await store.webhooks.read())?.map(({ url }) => url).toSorted()).toEqual(urls);
    });

    test('a delivery can be moved to a webhook that had none before', async () => {
      await store.webhooks.update(() => [
        { key: B, url: B },
        { key: A, url: A, isGone: true },
      ]);
      await add('e1', 1_000, [A]);
      await store.update('e1', (event) => ({ ...event, urls: { [B]: retrying(6_000) } }));
      expect(await store.waiting(B, 'retry', undefined, 10)).toMatchObject([{ at: 6_000, id: 'e1' }]);
      expect(await store.backlog()).toEqual([{ url: B, first: 0, retry: 1, bytes: 16 }]);
      await store.update('e1', (event) => bury(withState(event, B, dead)));
      expect((await store.deadTotals()).deliveries).toEqual([{ url: B, type: 'track', reason: 'permanent', count: 1 }]);
    });

    test('a change of the webhooks that throws rejects and leaves them unchanged', async () => {
      await store.webhooks.update(() => [{ key: A, url: A }]);
      const failing = store.webhooks.update(() => {
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await store.webhooks.read()).toEqual([{ key: A, url: A }]);
    });

    test('thousands of simultaneous events are all stored, in order', async () => {
      const ids = Array.from({ length: 3_000 }, (_, index) => `e${String(index).padStart(5, '0')}`);
      await Promise.all(ids.map((id, index) => add(id, 1_000 + (index % 7))));
      const listed = await store.waiting(A, 'first', undefined, 5_000);
      expect(listed.length).toBe(ids.length);
      expect(listed.map(({ at }) => at)).toEqual(listed.map(({ at }) => at).toSorted((a, b) => a - b));
      expect(idsOf(listed).toSorted()).toEqual(ids);
    });

    if (!lasts) return;

    test('accepted events are still there when the store is opened again', async () => {
      await add('e1', 1_000, [A, B]);
      await store.update('e1', (event) => withState(event, A, retrying(6_000)));
      await store.webhooks.update(() => [{ key: A, url: B }]);
      await store.close?.();
      store = await open();
      expect(idsOf(await store.waiting(B, 'first', undefined, 10))).toEqual(['e1']);
      expect(await store.waiting(A, 'retry', undefined, 10)).toMatchObject([{ at: 6_000, id: 'e1' }]);
      expect(Buffer.from((await store.body('e1')) ?? [])).toEqual(Buffer.from(body));
      expect(await store.add(newEvent('e1', 'track', [A], 1_000), body)).toBe(false);
      expect(await store.webhooks.read()).toEqual([{ key: A, url: B }]);
    });

    test('events are not counted a second time when the store is opened again', async () => {
      await store.webhooks.update(() => [{ key: A, url: A }]);
      await add('e1', 1_000, [A]);
      await add('e2', 1_000, [A]);
      await store.update('e1', (event) => bury(withState(event, A, dead)));
      await store.close?.();
      store = await open();
      expect(await store.backlog()).toEqual([{ url: A, first: 1, retry: 0, bytes: 16 }]);
      expect(await store.deadTotals()).toMatchObject({ events: 1, bytes: 16 });
    });
  });
}
