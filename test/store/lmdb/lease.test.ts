import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isSilent,
  type Lease,
  type Mailbox,
  mayTake,
  NOBODY,
  type ProcessRecord,
  plan,
  SILENCE_MS,
  type Sighting,
} from '../../../src/store/lmdb/lease.js';

const record = (beat = 0, pid = 1): ProcessRecord => ({ pid, place: 'here', startedAt: 0, beat });
const alive = (): boolean => false;

const boardOf = (processes: [number, ProcessRecord][], leases: [number, Lease][] = []): Mailbox => ({
  processes: new Map(processes),
  leases: new Map(leases),
});

const member = (leading: [number, number][] = [], sightings: [number, Sighting][] = []) => ({
  me: 1,
  sightings: new Map(sightings),
  leading: new Map(leading),
  wanted: new Set([7]),
});

describe('a process', () => {
  test('takes what nobody has', () => {
    const both = boardOf([[1, record()]]);
    expect(plan(both, member(), 0, alive).take).toEqual([7]);
    const left = boardOf([[1, record()]], [[7, { holder: NOBODY, term: 4 }]]);
    expect(plan(left, member(), 0, alive).take).toEqual([7]);
  });

  test('leaves alone what another has, as long as that shows a beat', () => {
    const at = (beat: number) =>
      boardOf(
        [
          [1, record()],
          [2, record(beat)],
        ],
        [[7, { holder: 2, term: 1 }]],
      );
    const first = plan(at(0), member(), 0, alive);
    expect(first.take).toEqual([]);
    const second = plan(at(1), { ...member(), sightings: first.sightings }, SILENCE_MS, alive);
    expect(second).toMatchObject({ take: [], gone: [], isAlone: false });
  });

  test('takes over from one that was silent for ten seconds, by its own clock', () => {
    const board = boardOf(
      [
        [1, record()],
        [2, record(5)],
      ],
      [[7, { holder: 2, term: 1 }]],
    );
    const { sightings } = plan(board, member(), 1_000, alive);
    expect(plan(board, { ...member(), sightings }, 1_000 + SILENCE_MS - 1, alive).take).toEqual([]);
    const late = plan(board, { ...member(), sightings }, 1_000 + SILENCE_MS, alive);
    expect(late).toMatchObject({ take: [7], gone: [2], isAlone: true });
  });

  test('takes over from one that is dead at once', () => {
    const board = boardOf(
      [
        [1, record()],
        [2, record()],
      ],
      [[7, { holder: 2, term: 1 }]],
    );
    expect(plan(board, member(), 0, ({ pid }) => pid === 1)).toMatchObject({ take: [7], gone: [2] });
  });

  test('takes over from one that has left no record', () => {
    expect(plan(boardOf([[1, record()]], [[7, { holder: 2, term: 1 }]]), member(), 0, alive).take).toEqual([7]);
  });

  test('goes on with what it leads, and takes it no second time', () => {
    const board = boardOf([[1, record()]], [[7, { holder: 1, term: 3 }]]);
    expect(plan(board, member([[7, 3]]), 0, alive)).toMatchObject({ take: [], stop: [] });
  });

  test.each([
    ['another has the lease', { holder: 2, term: 4 }],
    ['it has itself taken it anew', { holder: 1, term: 4 }],
    ['nobody has it', { holder: NOBODY, term: 3 }],
  ])('stops leading when %s', (_, lease) => {
    const board = boardOf(
      [
        [1, record()],
        [2, record()],
      ],
      [[7, lease]],
    );
    expect(plan(board, member([[7, 3]]), 0, alive)).toMatchObject({ stop: [7], take: [] });
  });

  test('stops leading when the others have forgotten it, with what they had told it', () => {
    const board = boardOf([[2, record()]], [[7, { holder: 1, term: 3 }]]);
    expect(plan(board, member([[7, 3]]), 0, alive).stop).toEqual([7]);
  });

  test('takes nothing that is not as it was when the plan was made', () => {
    const seen = boardOf(
      [
        [1, record()],
        [2, record(5)],
      ],
      [[7, { holder: 2, term: 1 }]],
    );
    const gone = { me: 1, sightings: new Map([[2, { beat: 5, since: 0 }]]) };
    const lease = { holder: 2, term: 1 };
    expect(mayTake(7, gone, seen, { lease, holder: record(5) })).toBe(true);
    expect(mayTake(7, gone, seen, { lease, holder: undefined })).toBe(true);
    expect(mayTake(7, gone, seen, { lease, holder: record(6) })).toBe(false);
    expect(mayTake(7, gone, seen, { lease: { holder: 2, term: 2 }, holder: record(5) })).toBe(false);
    expect(mayTake(7, gone, seen, { lease: { holder: 3, term: 1 }, holder: record(5) })).toBe(false);
  });
});

/** A process in a world of which the test says who acts when. It sees the board, and writes later, as transactions do. */
class Process {
  readonly me: number;
  sightings: ReadonlyMap<number, Sighting> = new Map();
  leading = new Map<number, number>();
  isAlive = true;
  wroteAt = 0;
  /** How long those had been silent from whom it took something while they lived. */
  readonly robbed: number[] = [];
  #beat = 0;
  #planned: (() => void) | undefined;

  constructor(me: number, world: World) {
    this.me = me;
    world.processes.set(me, record(0, me));
  }

  see(world: World): void {
    const seen: Mailbox = { processes: new Map(world.processes), leases: new Map(world.leases) };
    const wanted = new Set(DESTINATIONS);
    const isDead = ({ pid }: ProcessRecord): boolean => world.members.get(pid)?.isAlive === false;
    const next = plan(seen, { ...this, wanted }, world.now, isDead);
    this.sightings = next.sightings;
    for (const destination of next.stop) this.leading.delete(destination);
    this.#planned = () => {
      world.processes.set(this.me, record(++this.#beat, this.me));
      for (const destination of next.take) this.#take(destination, seen, world);
      for (const number of next.gone) {
        if (isSilent(next.sightings.get(number), world.processes.get(number))) world.processes.delete(number);
      }
    };
  }

  write({ now }: World): void {
    if (this.#planned === undefined) return;
    this.#planned();
    this.wroteAt = now;
    this.#planned = undefined;
  }

  /** What is asked before every attempt. */
  mayAttempt(destination: number, world: World): boolean {
    const lease = world.leases.get(destination);
    return this.isAlive && lease?.holder === this.me && lease.term === this.leading.get(destination);
  }

  #take(destination: number, seen: Mailbox, world: World): void {
    const lease = world.leases.get(destination);
    const holder = lease && world.processes.get(lease.holder);
    if (!mayTake(destination, this, seen, { lease, holder })) return;
    const before = world.members.get(lease?.holder ?? NOBODY);
    if (before?.isAlive && before !== this) this.robbed.push(world.now - before.wroteAt);
    const term = (lease?.term ?? 0) + 1;
    world.leases.set(destination, { holder: this.me, term });
    this.leading.set(destination, term);
  }
}

interface World {
  now: number;
  readonly processes: Map<number, ProcessRecord>;
  readonly leases: Map<number, Lease>;
  readonly members: Map<number, Process>;
}

const DESTINATIONS = [7, 8];
const MEMBERS = [1, 2, 3];

const step = fc.oneof(
  { weight: 30, arbitrary: fc.record({ do: fc.constant('see' as const), who: fc.constantFrom(...MEMBERS) }) },
  { weight: 30, arbitrary: fc.record({ do: fc.constant('write' as const), who: fc.constantFrom(...MEMBERS) }) },
  { weight: 20, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 15_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const), who: fc.constantFrom(1, 2) }) },
);

function newWorld(): World {
  const world: World = { now: 0, processes: new Map(), leases: new Map(), members: new Map() };
  for (const number of MEMBERS) world.members.set(number, new Process(number, world));
  return world;
}

function run(world: World, each: typeof step extends fc.Arbitrary<infer T> ? T : never): void {
  if (each.do === 'wait') {
    world.now += each.ms;
    return;
  }
  const process = world.members.get(each.who);
  if (process === undefined || !process.isAlive) return;
  if (each.do === 'kill') process.isAlive = false;
  else process[each.do](world);
}

describe('whatever happens in whatever order', () => {
  test('no two processes may attempt deliveries of one destination', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const world = newWorld();
        for (const each of steps) {
          run(world, each);
          for (const destination of DESTINATIONS) {
            const able = [...world.members.values()].filter((process) => process.mayAttempt(destination, world));
            expect(able.length).toBeLessThanOrEqual(1);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test('nothing is taken from a process that lives and has not been silent', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const world = newWorld();
        for (const each of steps) run(world, each);
        const silences = [...world.members.values()].flatMap(({ robbed }) => robbed);
        expect(silences.filter((ms) => ms < SILENCE_MS)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test('within seconds of quiet each destination is led by a process that lives', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world = newWorld();
        for (const each of steps) run(world, each);
        const living = [...world.members.values()].filter(({ isAlive }) => isAlive);
        for (let waited = 0; waited <= SILENCE_MS + 2_000; waited += 1_000) beatOnce(world, living);
        const leaders = DESTINATIONS.map((destination) =>
          living.filter((process) => process.mayAttempt(destination, world)),
        );
        expect(leaders.map(({ length }) => length)).toEqual([1, 1]);
      }),
      { numRuns: 500 },
    );
  });
});

function beatOnce(world: World, living: readonly Process[]): void {
  for (const process of living) process.see(world);
  for (const process of living) process.write(world);
  world.now += 1_000;
}
