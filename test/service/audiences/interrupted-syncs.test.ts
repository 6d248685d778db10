import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Accept } from '../../../src/service/audiences/syncs.js';
import { LEASE_MS } from '../../../src/service/jobs/held-record.js';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';
import { runs } from '../../support/runs.js';
import { asleep, membersOf, settled, stagedOn, Taken, TestAudiences } from './support.js';

type Change =
  | { kind: 'replace'; members: string[] }
  | { kind: 'change'; join: string[]; leave: string[] }
  | { kind: 'remove' };

/** Called before and after each action of a process on its surroundings. The process dies or sleeps when this throws or waits. */
type Gate = (moment: 'before' | 'half' | 'after') => Promise<void>;

/** Returns a store and an `accept` that call the gate at every action, as one process sees them. */
function throughGate(gate: Gate, keyValues: KeyValueStore, taken: Taken): { keyValues: KeyValueStore; accept: Accept } {
  const act = async <T>(work: () => Promise<T>): Promise<T> => {
    await gate('before');
    const result = await work();
    await gate('after');
    return result;
  };
  return {
    keyValues: {
      get: (keys) => act(() => keyValues.get(keys)),
      list: (...given) => act(() => keyValues.list(...given)),
      write: (changes) => act(() => keyValues.write(changes)),
      writeIf: (...given) => act(() => keyValues.writeIf(...given)),
      removeAll: (prefix) => act(() => keyValues.removeAll(prefix)),
    },
    accept: (messages) =>
      act(async () => {
        const middle = Math.floor(messages.length / 2);
        await taken.accept(messages.slice(0, middle));
        await gate('half');
        await taken.accept(messages.slice(middle));
      }),
  };
}

class Crash extends Error {}

/** Makes a process die at the moment with this number; every later action fails too. */
function mortal(diesAt: number): { gate: Gate; moments: () => number } {
  let moments = 0;
  return {
    moments: () => moments,
    async gate() {
      if (moments++ >= diesAt) throw new Crash();
    },
  };
}

const NAME = 'Users';

const processOf = (world: World, gate: Gate): TestAudiences =>
  new TestAudiences({
    ...throughGate(gate, world.keyValues, world.taken),
    clock: asleep(world.clock),
    onError: () => {},
    stepSize: 2,
    runSize: 3,
  });

interface World {
  keyValues: KeyValueStore;
  taken: Taken;
  clock: FakeClock;
}

const newWorld = (): World => ({ keyValues: memoryStorage().keyValues, taken: new Taken(), clock: new FakeClock() });

async function make(audiences: TestAudiences, change: Change): Promise<unknown> {
  if (change.kind === 'replace') return audiences.replace(NAME, change.members);
  if (change.kind === 'change') return audiences.change(NAME, change);
  return audiences.remove(NAME);
}

const ALIVE: Gate = async () => {};

/** Returns the members after a change; undefined means that there is no audience. */
function modelOf(before: ReadonlySet<string> | undefined, change: Change): ReadonlySet<string> | undefined {
  if (change.kind === 'replace') return new Set(change.members);
  if (before === undefined || change.kind === 'remove') return undefined;
  return new Set([...before, ...change.join].filter((user) => !change.leave.includes(user)));
}

const differences = (before: ReadonlySet<string> = new Set(), after: ReadonlySet<string> = new Set()): string[] =>
  [...new Set([...before, ...after])]
    .sort()
    .filter((user) => before.has(user) !== after.has(user))
    .map((user) => (after.has(user) ? `+${user}` : `-${user}`));

/** Returns the members according to the store, and checks that its records agree with each other. */
async function look({ keyValues, clock }: World): Promise<ReadonlySet<string> | undefined> {
  const audiences = new TestAudiences({ keyValues, accept: async () => {}, clock, onError: () => {} });
  const report = await audiences.get(NAME);
  const members = await membersOf(keyValues, 'users');
  expect(await stagedOn(keyValues)).toEqual([]);
  expect(report?.sync).toBeUndefined();
  expect(report?.members ?? 0).toBe(members.length);
  return report && new Set(members);
}

const same = (a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined): boolean =>
  a === undefined || b === undefined ? a === b : differences(a, b).length === 0;

const users = fc.subarray([...'abcdefghij']);
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: users.map((members) => ({ kind: 'replace', members }) as const) },
  {
    weight: 3,
    arbitrary: fc.tuple(users, users).map(([join, leave]) => {
      return { kind: 'change', join, leave: leave.filter((user) => !join.includes(user)) } as const;
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'remove' } as const) },
);
const history = fc
  .tuple(users, fc.array(change, { maxLength: 2 }))
  .map(([members, later]): Change[] => [{ kind: 'replace', members }, ...later]);

/**
 * Runs a history in which the process dies once, and the process that recovers from it dies too. Returns the number of moments.
 */
async function live(changes: readonly Change[], diesAt: number, mendingDiesAt: number): Promise<number> {
  const world = newWorld();
  const first = mortal(diesAt);
  let audiences = processOf(world, first.gate);
  let before: ReadonlySet<string> | undefined;
  for (const next of changes) {
    const failure = await make(audiences, next).then(
      () => undefined,
      (error: unknown) => error,
    );
    const after = modelOf(before, next);
    if (first.moments() > diesAt) {
      for (const gate of [mortal(mendingDiesAt).gate, ALIVE]) {
        world.clock.advance(LEASE_MS);
        audiences = processOf(world, gate);
        await audiences.resume();
      }
    }
    const found = await look(world);
    if (failure === undefined) expect(same(found, after)).toBe(true);
    else expect(same(found, before) || same(found, after)).toBe(true);
    expect(world.taken.take()).toEqual(differences(before, found));
    before = found;
  }
  return first.moments();
}

test('after a crash at any moment a change is done or not done, and each user gets each message exactly once', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.nat(60), async (changes, mendingDiesAt) => {
      const moments = await live(changes, Number.POSITIVE_INFINITY, 0);
      for (let moment = 0; moment < moments; moment++) await live(changes, moment, mendingDiesAt);
    }),
    { numRuns: runs(10, 25) },
  );
}, 60_000);

/** Makes a process sleep at the moment with this number until it is woken. */
function sleepy(sleepsAt: number): { gate: Gate; wake: () => void } {
  let moments = 0;
  let wake = (): void => {};
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  return { gate: async () => (moments++ === sleepsAt ? woken : undefined), wake: () => wake() };
}

test('a process that is suspended at any moment does no harm when it resumes after another has continued its change', async () => {
  await fc.assert(
    fc.asyncProperty(users, change, change, fc.nat(80), async (members, slept, later, sleepsAt) => {
      const world = newWorld();
      await make(processOf(world, ALIVE), { kind: 'replace', members });
      const { gate, wake } = sleepy(sleepsAt);
      const sleeping = make(processOf(world, gate), slept).catch(() => {});
      await settled();
      world.clock.advance(LEASE_MS);
      const other = processOf(world, ALIVE);
      await other.resume();
      await make(other, later).catch(() => {});
      wake();
      await sleeping;
      world.clock.advance(LEASE_MS);
      await other.resume();

      const told = new Map<string, boolean>();
      for (const { userId, traits } of world.taken.messages) {
        const { users: isMember = false } = traits as { users?: boolean };
        expect(isMember).toBe(!(told.get(String(userId)) ?? false));
        told.set(String(userId), isMember);
      }
      const remaining = [...told].filter(([, isMember]) => isMember).map(([user]) => user);
      expect(remaining.sort()).toEqual([...((await look(world)) ?? [])].sort());
    }),
    { numRuns: runs(400, 1_500) },
  );
}, 60_000);
