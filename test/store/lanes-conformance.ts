import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { accept, type Dead, type Retrying } from '../../src/delivery/state.js';
import type { QueueKey } from '../../src/store/event-store.js';
import type { EventStoreUnderTest, TestStore } from './event-store-conformance.js';

const A = 'https://a.example/hook';
const B = 'https://b.example/hook';
const body = Buffer.from('{"type":"track"}');

/** Returns a user in the form of `userKey`. */
const userOf = (name: string): string => name.padEnd(16, '-');
const [ANN, BOB] = [userOf('ann'), userOf('bob')];

const dead: Dead = { phase: 'dead', at: 9, reason: 'permanent', history: [] };
const retrying = (due: number): Retrying => ({ phase: 'retrying', due, firstAttemptAt: 0, attempts: 1, history: [] });

const idsOf = (keys: readonly QueueKey[]): string[] => keys.map(({ id }) => id);

/** A change of one of the waiting deliveries. */
const step = fc.record({
  what: fc.constantFrom('add', 'add', 'end', 'retry', 'die', 'end behind'),
  user: fc.constantFrom(ANN, BOB, undefined),
  isOrdered: fc.nat(4).map((one) => one > 0),
  which: fc.nat(20),
  /** True if it is requested together with a change that fails. */
  isBesideFailure: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Tests how the deliveries of one user wait for each other in a store if their events are ordered. */
export function describeLanes({ name, lasts, setUp }: EventStoreUnderTest): void {
  describe(`the deliveries of a user in ${name}`, () => {
    let open: () => Promise<TestStore>;
    let store: TestStore;
    let ready: string[];
    /** When the last event was accepted. */
    let accepted: number;

    const listen = (): void => {
      ready = [];
      store.onReady = ({ url, key }) => void ready.push(`${key.id} ${url === A ? 'A' : 'B'}`);
    };
    const add = (id: string, user: string | undefined, urls: readonly string[] = [A], isOrdered = true) => {
      const now = ++accepted;
      const event = newEvent(id, 'track', urls, now, { bytes: body.length, place: store.placeFor(now) });
      return store.add({ ...event, ...(user !== undefined && { user }), ...(isOrdered && { isOrdered }) }, body);
    };
    const firsts = async (url = A) => idsOf(await store.waiting(url, 'first', undefined, 100));
    const behind = async (url = A) => idsOf(await store.waiting(url, 'behind', undefined, 100));
    const become = (id: string, url: string, state: Retrying | Dead) =>
      store.update(id, (event) => ({ ...event, urls: { ...event.urls, [url]: state } }));
    const end = (id: string) => store.update(id, () => undefined);

    beforeEach(async () => {
      accepted = 1_000;
      open = await setUp();
      store = await open();
      onTestFinished(() => store.close?.());
      listen();
    });

    test('only the first delivery of a user is in line, and other users do not wait for it', async () => {
      for (const [id, user] of [
        ['a1', ANN],
        ['b1', BOB],
        ['a2', ANN],
        ['b2', BOB],
        ['a3', ANN],
      ] as const)
        await add(id, user);
      expect([await firsts(), await behind()]).toEqual([
        ['a1', 'b1'],
        ['a2', 'b2', 'a3'],
      ]);
      expect(ready).toEqual(['a1 A', 'b1 A']);
    });

    test('the next delivery of a user is in line once the one before has ended, ahead of later accepted ones', async () => {
      for (const [id, user] of [
        ['a1', ANN],
        ['a2', ANN],
        ['b1', BOB],
      ] as const)
        await add(id, user);
      await end('a1');
      expect([await firsts(), await behind()]).toEqual([['a2', 'b1'], []]);
      expect(ready).toEqual(['a1 A', 'b1 A', 'a2 A']);
      await end('a2');
      await add('a3', ANN);
      expect(await firsts()).toEqual(['b1', 'a3']);
    });

    test('the next delivery of a user waits for the retries of the one before, and is in line once that is dead', async () => {
      for (const id of ['a1', 'a2']) await add(id, ANN);
      await become('a1', A, retrying(6_000));
      await become('a1', A, retrying(9_000));
      expect([await firsts(), await behind()]).toEqual([[], ['a2']]);
      expect(await store.waiting(A, 'retry', undefined, 9)).toMatchObject([{ at: 9_000, id: 'a1' }]);
      await become('a1', A, dead);
      expect([await firsts(), await behind(), ready]).toEqual([['a2'], [], ['a1 A', 'a2 A']]);
    });

    test('a delivery that ends behind others leaves those unchanged', async () => {
      for (const id of ['a1', 'a2', 'a3']) await add(id, ANN);
      await end('a2');
      expect([await firsts(), await behind()]).toEqual([['a1'], ['a3']]);
      await end('a1');
      expect([await firsts(), await behind()]).toEqual([['a3'], []]);
    });

    test('each URL has its own lanes', async () => {
      for (const id of ['a1', 'a2']) await add(id, ANN, [A, B]);
      await become('a1', B, dead);
      expect([await firsts(A), await firsts(B)]).toEqual([['a1'], ['a2']]);
      await end('a2');
      expect([await firsts(A), await firsts(B), await behind(A)]).toEqual([['a1'], [], []]);
    });

    test('a replayed delivery waits behind the other waiting deliveries of its user', async () => {
      for (const id of ['a1', 'a2', 'a3']) await add(id, ANN);
      await become('a1', A, dead);
      const place = Math.max(store.placeFor(1_000), 2_000);
      await store.update('a1', (event) => ({ ...event, urls: { [A]: accept(place) } }));
      expect([await firsts(), await behind()]).toEqual([['a2'], ['a3', 'a1']]);
    });

    test('events that are unordered or have no user do not wait for others', async () => {
      await add('a1', ANN, [A], false);
      await add('a2', ANN);
      await add('a3', ANN, [A], false);
      for (const id of ['n1', 'n2']) await add(id, undefined);
      expect([await firsts(), await behind()]).toEqual([['a1', 'a2', 'a3', 'n1', 'n2'], []]);
      await end('a1');
      await end('a3');
      expect(await firsts()).toEqual(['a2', 'n1', 'n2']);
    });

    test('a delivery that has ended is behind no other, even if its event still waits for another webhook', async () => {
      for (const id of ['a1', 'a2']) await add(id, ANN, [A, B]);
      await become('a1', A, dead);
      expect([await store.isBehind(A, 'a1'), await store.isBehind(B, 'a2')]).toEqual([false, true]);
      await become('a2', A, dead);
      expect([await store.isBehind(A, 'a2'), await store.isBehind(B, 'a2')]).toEqual([false, true]);
    });

    test('deliveries behind others count as waiting for their first attempt', async () => {
      for (const id of ['a1', 'a2']) await add(id, ANN);
      expect(await store.backlog()).toEqual([{ url: A, first: 2, retry: 0, bytes: 32 }]);
      expect(await store.isBehind(A, 'a2')).toBe(true);
      expect(await store.isBehind(A, 'a1')).toBe(false);
      expect(await store.isBehind(A, 'none')).toBe(false);
    });

    test('whatever deliveries arrive, end or fail, the first unfinished one of each user is in line, and none is stuck', async () => {
      let round = 0;
      const retries = async () => idsOf(await store.waiting(A, 'retry', undefined, 100));
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
          round++;
          const waits = await play(steps, {
            round,
            add: (id, user, isOrdered) => add(id, user, [A], isOrdered),
            become,
            end,
            fail: (id) => store.update(id, fail),
          });
          const expected = waits.filter((each) => isFirst(each, waits)).map(({ id }) => id);
          expect([...(await firsts()), ...(await retries())].toSorted()).toEqual(expected.toSorted());
          expect(await behind()).toEqual(waits.map(({ id }) => id).filter((id) => !expected.includes(id)));
          // Every delivery in line ends and brings the next one into line, until none is left.
          for (let left = waits.length; left > 0; left--) {
            const [next = ''] = [...(await firsts()), ...(await retries())];
            await end(next);
          }
          expect(await store.backlog()).toEqual([]);
        }),
        { numRuns: 25 },
      );
    });

    if (!lasts) return;

    test('a user has one delivery in line when the store is opened again, and the next one follows it', async () => {
      for (const id of ['a1', 'a2', 'a3']) await add(id, ANN);
      await become('a1', A, retrying(6_000));
      await store.close?.();
      store = await open();
      listen();
      expect([await firsts(), await behind()]).toEqual([[], ['a2', 'a3']]);
      await end('a1');
      expect([await firsts(), ready]).toEqual([['a2'], ['a2 A']]);
      await add('a4', ANN);
      expect(await behind()).toEqual(['a3', 'a4']);
    });
  });
}

interface Waits {
  readonly id: string;
  readonly user: string | undefined;
  readonly isOrdered: boolean;
}

/** Returns true if no delivery of its user is before it. */
const isFirst = (one: Waits, waits: readonly Waits[]): boolean =>
  !one.isOrdered ||
  one.user === undefined ||
  waits.find(({ user, isOrdered }) => isOrdered && user === one.user) === one;

interface Acts {
  readonly round: number;
  add(id: string, user: string | undefined, isOrdered: boolean): Promise<unknown>;
  become(id: string, url: string, state: Retrying | Dead): Promise<void>;
  end(id: string): Promise<void>;
  fail(id: string): Promise<void>;
}

const fail = (): never => {
  throw new Error('no');
};

/** Applies all steps to a store. Returns the deliveries that wait afterwards, in the order of arrival. */
async function play(steps: readonly Step[], acts: Acts): Promise<Waits[]> {
  const waits: Waits[] = [];
  for (const [index, step] of steps.entries()) {
    const beside = step.isBesideFailure ? waits[0]?.id : undefined;
    const acting = act(step, index, waits, acts);
    if (beside !== undefined) acts.fail(beside).catch(() => {});
    await acting;
  }
  return waits;
}

function act({ what, user, isOrdered, which }: Step, index: number, waits: Waits[], acts: Acts): Promise<unknown> {
  if (what === 'add') {
    const id = `r${acts.round}-${index}`;
    waits.push({ id, user, isOrdered });
    return acts.add(id, user, isOrdered);
  }
  const from = what === 'end behind' ? waits : waits.filter((each) => isFirst(each, waits));
  const one = from[which % Math.max(1, from.length)];
  if (one === undefined) return Promise.resolve();
  if (what === 'retry') return acts.become(one.id, A, retrying(5_000 + index));
  waits.splice(waits.indexOf(one), 1);
  return what === 'die' ? acts.become(one.id, A, dead) : acts.end(one.id);
}
