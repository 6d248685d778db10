/** How finely something is counted, and how long the counts are kept. */
export interface Steps {
  /** The letter that stands for these steps in a key. */
  readonly letter: string;
  readonly stepMs: number;
  readonly count: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The steps of the history of a destination or source, by the range that they cover. */
export const RANGES = {
  '1h': { letter: 'm', stepMs: MINUTE_MS, count: 60 },
  '24h': { letter: 'q', stepMs: 15 * MINUTE_MS, count: 96 },
  '7d': { letter: 'h', stepMs: 2 * HOUR_MS, count: 84 },
} as const satisfies Readonly<Record<string, Steps>>;

export type Range = keyof typeof RANGES;

/** The events of a source are counted by hour for 30 days. */
export const EVENT_HOURS: Steps = { letter: 'e', stepMs: HOUR_MS, count: 30 * 24 };

/** What is counted. `events` are the events of a source by name. */
export type Subject = 'destination' | 'source' | 'events';

export const STEPS_OF: Readonly<Record<Subject, readonly Steps[]>> = {
  destination: Object.values(RANGES),
  source: Object.values(RANGES),
  events: [EVENT_HOURS],
};

/**
 * The prefix of the keys that hold what each process counted for each destination and source in each step. The step comes first
 * in the key, so that one scan reads a whole step, and old steps are removed together.
 */
const COUNTS = 'counts/';

/** Returns the number of the current step, counted from 1970. */
export const stepOf = ({ stepMs }: Steps, now: number): number => Math.floor(now / stepMs);

export const stepsPrefix = (subject: Subject, { letter }: Steps): string => `${COUNTS}${subject}/${letter}/`;

export const stepPrefix = (subject: Subject, steps: Steps, step: number): string =>
  `${stepsPrefix(subject, steps)}${String(step).padStart(10, '0')}/`;

export const namePrefix = (subject: Subject, steps: Steps, step: number, name: string): string =>
  `${stepPrefix(subject, steps, step)}${encodeURIComponent(name)}/`;

/** Reads the name from a key that begins with the prefix of its step. */
export const nameIn = (key: string, prefix: string): string =>
  decodeURIComponent(key.slice(prefix.length, key.lastIndexOf('/')));

/** Reads the number of the step from a key that begins with the prefix of its steps. */
export const stepIn = (key: string, prefix: string): number => Number(key.slice(prefix.length, prefix.length + 10));
