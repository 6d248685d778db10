import type { HistoryRange } from '../api/history-answers.js';

/** Says how finely a range is kept. */
export interface Steps {
  /** In a key. */
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
 * On the key-value store: what each process counted of each destination and source in each step. The step comes first, so that
 * everything of one step is read, and what is too old is removed, at once.
 */
export const HISTORY = 'history/';

/** A step by its number since 1970. */
export const stepOf = ({ stepMs }: Steps, now: number): number => Math.floor(now / stepMs);

export const kindPrefix = (kind: Kind, { letter }: Steps): string => `${HISTORY}${kind}/${letter}/`;

export const stepPrefix = (kind: Kind, steps: Steps, step: number): string =>
  `${kindPrefix(kind, steps)}${String(step).padStart(10, '0')}/`;

export const namePrefix = (kind: Kind, steps: Steps, step: number, name: string): string =>
  `${stepPrefix(kind, steps, step)}${encodeURIComponent(name)}/`;

/** The name in a key that begins with the prefix of its step. */
export const nameIn = (key: string, prefix: string): string =>
  decodeURIComponent(key.slice(prefix.length, key.lastIndexOf('/')));

/** The number of the step in a key that begins with the prefix of its kind. */
export const stepIn = (key: string, prefix: string): number => Number(key.slice(prefix.length, prefix.length + 10));
