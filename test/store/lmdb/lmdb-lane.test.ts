import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { LaneIndex, LmdbLane } from '../../../src/store/lmdb/lmdb-lane.js';
import { newFolder } from '../../cli/files.js';

const HEAD = 'the head';
const ACTS = ['add', 'add', 'add', 'add', 'delete', 'shift', 'reload', 'copy'] as const;
const step = fc.record({ what: fc.constantFrom(...ACTS), at: fc.integer({ min: 1, max: 200 }) });

/** A lane beside the times of what has to be in it, in order. */
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
    this.lane.store();
    this.lane = this.#reload();
  }

  copy(): void {
    this.lane = this.lane.copy();
  }
}

test('a lane gives what is behind its head in order, however much of it is in the index, and has its head after that', async () => {
  const environment = await LmdbEnvironment.open({ path: await newFolder(), lock: 'alone' });
  onTestFinished(() => environment.close());
  const options = { name: 'lanes', encoding: 'binary', keyEncoding: 'binary' } as const;
  const index = new LaneIndex(environment.db.openDB<Uint8Array, Uint8Array>(options));
  let round = 0;
  const property = fc.property(fc.array(step, { minLength: 50, maxLength: 150 }), (steps) => {
    const name = Buffer.from(`lane ${String(round++).padStart(5, '0')}`);
    const checked = new Checked(() => LmdbLane.load(index, name));
    for (const { what, at } of steps) checked[what](at);
    expect(checked.lane.head).toBe(HEAD);
    while (checked.times.length > 0) checked.shift();
    expect(checked.lane.shift()).toBeUndefined();
  });
  await environment.commits.run(() => fc.assert(property, { numRuns: 30 }));
});
