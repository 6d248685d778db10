import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { LmdbLane } from '../../../src/store/lmdb/lmdb-lane.js';
import { newFolder } from '../../cli/files.js';

const HEAD = 'the head';
const ACTS = ['add', 'add', 'add', 'add', 'delete', 'shift', 'reload'] as const;
const step = fc.record({ what: fc.constantFrom(...ACTS), at: fc.integer({ min: 1, max: 200 }) });

/** A lane with the times that it should contain, in order. */
class Checked {
  lane: LmdbLane;
  times: number[] = [];
  readonly #reload: () => LmdbLane;

  constructor(reload: () => LmdbLane) {
    this.#reload = reload;
    this.lane = reload();
    this.lane.head = HEAD;
  }

  add(at: number): void {
    if (this.times.includes(at)) return;
    this.lane.add({ at, id: `m${at}` });
    this.times = [...this.times, at].sort((a, b) => a - b);
  }

  delete(at: number): void {
    if (!this.times.includes(at)) return;
    this.lane.delete({ at, id: `m${at}` });
    this.times = this.times.filter((time) => time !== at);
  }

  shift(): void {
    expect(this.lane.shift()?.at).toBe(this.times.shift());
  }

  reload(): void {
    this.lane = this.#reload();
  }
}

test('a lane yields the deliveries behind its head in order, however many there are, and the head stays as it was', async () => {
  const environment = await LmdbEnvironment.open({ path: await newFolder(), lock: 'alone' });
  onTestFinished(() => environment.close());
  const tables = {
    lanes: environment.db.openDB<never, Uint8Array>({ name: 'lanes', encoding: 'json', keyEncoding: 'binary' }),
    behind: environment.db.openDB<Uint8Array, Uint8Array>({
      name: 'behind',
      encoding: 'binary',
      keyEncoding: 'binary',
    }),
  };
  let round = 0;
  const property = fc.property(fc.array(step, { minLength: 50, maxLength: 150 }), (steps) => {
    const name = Buffer.from(`lane ${String(round++).padStart(5, '0')}`);
    const checked = new Checked(() => new LmdbLane(tables, name));
    for (const { what, at } of steps) checked[what](at);
    expect(checked.lane.head).toBe(HEAD);
    while (checked.times.length > 0) checked.shift();
    expect(checked.lane.shift()).toBeUndefined();
  });
  await environment.commits.run(() => fc.assert(property, { numRuns: 30 }));
});
