import { expect, onTestFinished, test } from 'vitest';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { LmdbLines } from '../../../src/store/lmdb/lmdb-lines.js';
import { newFolder } from '../../cli/files.js';

const ANN = { url: 'a', user: 'ann-------------' };
const BOB = { url: 'a', user: 'bob-------------' };

/** Runs a transaction on the lines of two destinations, which have the URLs `a` and `b`. */
async function linesOf(change: (lines: LmdbLines, others: LmdbLines) => void) {
  const environment = await LmdbEnvironment.open({ path: await newFolder(), lock: 'alone' });
  onTestFinished(() => environment.close());
  const options = { encoding: 'binary', keyEncoding: 'binary' } as const;
  const tables = {
    waiting: environment.db.openDB<Uint8Array, Uint8Array>({ name: 'waiting', ...options }),
    lanes: environment.db.openDB<Uint8Array, Uint8Array>({ name: 'lanes', ...options }),
    numberOf: (url: string) => ['a', 'b'].indexOf(url),
  };
  const [lines, others] = [1, 2].map((number) => new LmdbLines({ ...tables, prefix: Buffer.from([number]) })) as [
    LmdbLines,
    LmdbLines,
  ];
  await environment.commits.run(() => change(lines, others));
  return { lines, others };
}

test('a lane has its head and what is behind it, and nothing of other users, URLs and destinations', async () => {
  const { lines, others } = await linesOf((ours, theirs) => {
    ours.setHead(ANN, 'm1');
    ours.putBehind(BOB, { at: 1, id: 'b1' });
    ours.putBehind({ ...ANN, url: 'b' }, { at: 1, id: 'c1' });
    theirs.putBehind(ANN, { at: 1, id: 'd1' });
    for (const at of [7, 6]) ours.putBehind(ANN, { at, id: `a${at}` });
  });
  expect([lines.head(ANN), lines.firstBehind(ANN)]).toEqual(['m1', { at: 6, id: 'a6' }]);
  expect([lines.head(BOB), others.head(ANN)]).toEqual([undefined, undefined]);
  expect(others.firstBehind(ANN)).toEqual({ at: 1, id: 'd1' });
});

test('a lane is empty once its head and what was behind it are gone', async () => {
  const { lines } = await linesOf((ours) => {
    ours.setHead(ANN, 'm1');
    ours.putBehind(ANN, { at: 6, id: 'm2' });
    ours.removeBehind(ANN, { at: 6, id: 'm2' });
    ours.setHead(ANN, undefined);
  });
  expect([lines.head(ANN), lines.firstBehind(ANN)]).toEqual([undefined, undefined]);
});

test('the last place is that of first attempts, in line or behind others', async () => {
  const entry = { url: 'a', id: 'm1' };
  const { lines, others } = await linesOf((ours) => {
    ours.put({ ...entry, stage: 'first', at: 5 });
    ours.put({ ...entry, stage: 'behind', at: 8 });
    ours.put({ ...entry, stage: 'retry', at: 9 });
  });
  expect([lines.lastPlace([0, 1]), others.lastPlace([0, 1])]).toEqual([8, 0]);
});

test('nothing waits for a URL that never had an event', async () => {
  const { lines } = await linesOf(() => {});
  expect(lines.list('a', 'first', undefined, 9)).toEqual([]);
});
