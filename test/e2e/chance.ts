import { onTestFailed } from 'vitest';

/** Numbers from 0 up to, but not, 1, other ones at each run. A test that failed says how to get the same again. */
export function chance(): () => number {
  const seed = Number(process.env['E2E_SEED'] ?? Date.now() % 1_000_000);
  onTestFailed(() => void process.stderr.write(`The moments were those of E2E_SEED=${seed}\n`));
  return mulberry32(seed);
}

/** An integer from `from` up to, but not, `to`. */
export const between = (next: () => number, from: number, to: number): number =>
  from + Math.floor(next() * (to - from));

/** Tommy Ettinger's generator: public domain, 32 bits of state. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
