import { onTestFailed } from 'vitest';

/** Returns numbers in [0, 1) that differ in each run. A failed test prints how to get the same numbers again. */
export function chance(): () => number {
  const seed = Number(process.env['E2E_SEED'] ?? Date.now() % 1_000_000);
  onTestFailed(() => void process.stderr.write(`The moments were those of E2E_SEED=${seed}\n`));
  return mulberry32(seed);
}

/** Returns an integer from `from` up to but not including `to`. */
export const between = (next: () => number, from: number, to: number): number =>
  from + Math.floor(next() * (to - from));

/** The generator of Tommy Ettinger: public domain, 32 bits of state. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
