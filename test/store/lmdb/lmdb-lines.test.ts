import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { LmdbLines, LmdbQueue, LmdbUrls, type QueueIndex } from '../../../src/store/lmdb/lmdb-lines.js';
import type { Lane } from '../../../src/store/local-store.js';
import { newFolder } from '../../cli/files.js';

// User names have a fixed length. These two differ only in the last letter.
const [ANN, BOB] = ['user-----------a', 'user-----------b'] as const;

/** Runs a transaction on the lines of two destinations with the URLs `a` and `b`. */
async function linesOf(change: (lines: LmdbLines, others: LmdbLines) => void) {
  const environment = await LmdbEnvironment.open({ path: await newFolder(), lock: 'alone' });
  onTestFinished(() => environment.close());
  const options = { encoding: 'binary', keyEncoding: 'binary' } as const;
  const tables = {
    waiting: environment.db.openDB<Uint8Array, Uint8Array>({ name: 'waiting', ...options }),
    lanes: environment.db.openDB<never, Uint8Array>({ name: 'lanes', encoding: 'json', keyEncoding: 'binary' }),
    behind: environment.db.openDB<Uint8Array, Uint8Array>({ name: 'behind', ...options }),
  };
  const numbers = environment.db.openDB<string, Uint8Array>({
    name: 'urls',
    encoding: 'string',
    keyEncoding: 'binary',
  });
  const open = async (destination: number): Promise<LmdbLines> => {
    const prefix = Buffer.from([destination]);
    const urls = new LmdbUrls(numbers, environment.commits, prefix);
    await environment.commits.run(() => {
      for (const url of ['a', 'b']) urls.register(url);
    });
    return new LmdbLines(tables, prefix, urls);
  };
  const [lines, others] = [await open(1), await open(2)];
  await environment.commits.run(() => change(lines, others));
  return { lines, others };
}

test('a lane contains the deliveries behind its head, and none of other users, URLs or destinations', async () => {
  const found: unknown[] = [];
  await linesOf((ours, theirs) => {
    ours.lane('a', ANN).head = 'm1';
    for (const at of [7, 6]) ours.lane('a', ANN).add({ at, id: `a${at}` });
    found.push(ours.lane('a', BOB).head, theirs.lane('a', ANN).head, ours.lane('a', ANN).head);
    for (const lane of [ours.lane('a', BOB), ours.lane('b', ANN), theirs.lane('a', ANN)]) {
      lane.head = 'other';
      lane.add({ at: 1, id: 'd1' });
    }
    for (let left = 3; left > 0; left--) found.push(ours.lane('a', ANN).shift());
    found.push(theirs.lane('a', ANN).shift());
    ours.lane('a', ANN).head = undefined;
    found.push(ours.lane('a', ANN).head);
  });
  expect(found.slice(0, 3)).toEqual([undefined, undefined, 'm1']);
  expect(found.slice(3)).toEqual([{ at: 6, id: 'a6' }, { at: 7, id: 'a7' }, undefined, { at: 1, id: 'd1' }, undefined]);
});

const HEAD = 'the head';
const ACTS = ['add', 'add', 'add', 'add', 'delete', 'shift', 'reload'] as const;
const step = fc.record({ what: fc.constantFrom(...ACTS), at: fc.integer({ min: 1, max: 200 }) });

/** A lane with the times that it should contain, in order. */
class Checked {
  lane: Lane;
  times: number[] = [];
  readonly #reload: () => Lane;

  constructor(reload: () => Lane) {
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
  let round = 0;
  const { lines } = await linesOf((ours) => {
    const property = fc.property(fc.array(step, { minLength: 50, maxLength: 150 }), (steps) => {
      const user = `user ${String(round++).padStart(5, '0')}`;
      const checked = new Checked(() => ours.lane('a', user));
      for (const { what, at } of steps) checked[what](at);
      expect(checked.lane.head).toBe(HEAD);
      while (checked.times.length > 0) checked.shift();
      expect(checked.lane.shift()).toBeUndefined();
    });
    fc.assert(property, { numRuns: 30 });
  });
  expect(lines.lane('a', 'user 00000').head).toBe(HEAD);
});

test('the last place covers all first attempts, whether they are in line or behind others', async () => {
  const { lines, others } = await linesOf((ours) => {
    ours.line('a', 'first').add({ at: 5, id: 'm1' });
    ours.line('a', 'behind').add({ at: 8, id: 'm1' });
    ours.line('a', 'retry').add({ at: 9, id: 'm1' });
  });
  expect([lines.lastPlace(), others.lastPlace()]).toEqual([8, 0]);
});

test('no delivery waits for a URL that never had an event', async () => {
  const { lines } = await linesOf(() => {});
  expect(lines.line('unknown', 'first').list(undefined, 9)).toEqual([]);
});

async function openUrls() {
  const environment = await LmdbEnvironment.open({ path: await newFolder(), lock: 'alone' });
  onTestFinished(() => environment.close());
  const table = environment.db.openDB<string, Uint8Array>({ name: 'urls', encoding: 'string', keyEncoding: 'binary' });
  return {
    environment,
    urlsOf: (destination: number) => new LmdbUrls(table, environment.commits, Buffer.of(0, 0, 0, destination)),
  };
}

test('each URL of a destination keeps its number, and another destination may give that to another URL', async () => {
  const { environment, urlsOf } = await openUrls();
  const [urls, others] = [urlsOf(1), urlsOf(2)];
  await environment.commits.run(() => {
    for (const url of ['a', 'b', 'a']) urls.register(url);
    others.register('c');
  });
  expect([urls.urlOf(0), urls.urlOf(1), others.urlOf(0)]).toEqual(['a', 'b', 'c']);
  expect(urlsOf(1).all()).toEqual(['a', 'b']);
  expect(urls.numberOf('c')).toBeUndefined();
  expect(() => urls.urlOf(2)).toThrow('No URL has the number 2');
});

test('a URL has a number within its transaction, and none after that has failed', async () => {
  const { environment, urlsOf } = await openUrls();
  const urls = urlsOf(1);
  const inside: unknown[] = [];
  const failing = environment.commits.run(() => {
    urls.register('a');
    inside.push(urls.numberOf('a'), urls.urlOf(0));
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect([...inside, urls.numberOf('a')]).toEqual([0, 'a', undefined]);
});

const [before, queue, behind] = [1, 2, 3].map((number) => Buffer.from([number])) as [Buffer, Buffer, Buffer];

async function queueOf(ids: readonly string[]): Promise<LmdbQueue> {
  const environment = await LmdbEnvironment.open({ path: await newFolder(), lock: 'alone' });
  onTestFinished(() => environment.close());
  const index: QueueIndex = environment.db.openDB({ name: 'waiting', encoding: 'binary', keyEncoding: 'binary' });
  await environment.commits.run(() => {
    for (const prefix of [before, behind]) new LmdbQueue(index, prefix).add({ at: 9, id: 'other' });
    for (const [at, id] of ids.entries()) new LmdbQueue(index, queue).add({ at, id });
  });
  return new LmdbQueue(index, queue);
}

test('listing the keys of a queue excludes those of neighbouring queues', async () => {
  const found = await queueOf(['a', 'b', 'c']);
  expect(found.list(undefined, 10).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(found.list({ at: 0, id: 'a' }, 1)).toEqual([{ at: 1, id: 'b' }]);
});

test('the last key of a queue is found beside other queues, and is undefined for an empty one', async () => {
  expect((await queueOf(['a', 'b'])).last()).toEqual({ at: 1, id: 'b' });
  expect((await queueOf([])).last()).toBeUndefined();
});
