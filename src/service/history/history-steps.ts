import type { HistoryRange } from '../api/history-answers.js';

/** How finely the history of a range is kept. */
export interface Steps {
  /** The letter that stands for the range in a key. */
  readonly letter: string;
  readonly stepMs: number;
  readonly count: number;
}

const MINUTE_MS = 60_000;

export const STEPS: Readonly<Record<HistoryRange, Steps>> = {
  '1h': { letter: 'm', stepMs: MINUTE_MS, count: 60 },
  '24h': { letter: 'q', stepMs: 15 * MINUTE_MS, count: 96 },
  '7d': { letter: 'h', stepMs: 120 * MINUTE_MS, count: 84 },
};

export type Kind = 'destination' | 'source';

/**
 * The prefix of the keys that hold what each process counted for each destination and source in each step. The step comes first
 * in the key, so that one scan reads a whole step, and old steps are removed together.
 */
export const HISTORY = 'history/';

/** Returns the number of the current step, counted from 1970. */
export const stepOf = ({ stepMs }: Steps, now: number): number => Math.floor(now / stepMs);

export const kindPrefix = (kind: Kind, { letter }: Steps): string => `${HISTORY}${kind}/${letter}/`;

export const stepPrefix = (kind: Kind, steps: Steps, step: number): string =>
  `${kindPrefix(kind, steps)}${String(step).padStart(10, '0')}/`;

export const namePrefix = (kind: Kind, steps: Steps, step: number, name: string): string =>
  `${stepPrefix(kind, steps, step)}${encodeURIComponent(name)}/`;

/** Reads the name from a key that begins with the prefix of its step. */
export const nameIn = (key: string, prefix: string): string =>
  decodeURIComponent(key.slice(prefix.length, key.lastIndexOf('/')));

/** Reads the number of the step from a key that begins with the prefix of its kind. */
export const stepIn = (key: string, prefix: string): number => Number(key.slice(prefix.length, prefix.length + 10));
