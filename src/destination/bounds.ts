import { describe } from '../describe.js';
import { isRecord } from '../protocol/is.js';
import type { Bounds } from '../scheduler/backlog-bounds.js';
import { refuseUnknown, SettingError } from './errors.js';

/** How much may wait at one endpoint. Whichever is reached first holds. */
export interface BacklogLimit {
  /** The most deliveries without an end, 1 or more. */
  events?: number | undefined;
  /** The most bytes of their bodies, 1 or more. */
  bytes?: number | undefined;
  /** The longest that a delivery may wait, in milliseconds, 1 or more: from when it was accepted, or first tried. */
  age?: number | undefined;
}

/** How many dead letters are kept. Whichever is reached first holds. */
export interface DeadLetterLimit {
  /** The most events, 1 or more. @default 1_000_000 */
  events?: number | undefined;
  /** The most bytes of their bodies and of the answers kept with them. @default 10_000_000_000 */
  bytes?: number | undefined;
  /** How long, in milliseconds, from when the event was accepted. @default 2_592_000_000, 30 days */
  age?: number | undefined;
}

const NAMES: readonly string[] = ['events', 'bytes', 'age'] satisfies (keyof BacklogLimit)[];

const DAY_MS = 24 * 60 * 60_000;

/** A month to notice, and less than what fills a small disk or the memory of a Redis without anybody having asked for it. */
export const DEAD_LETTERS: Bounds = { events: 1_000_000, bytes: 10_000_000_000, ageMs: 30 * DAY_MS };

/** @throws SettingError */
export function checkBounds(setting: string, given: unknown, otherwise: Bounds): Bounds {
  if (given === undefined) return otherwise;
  if (!isRecord(given)) throw new SettingError(setting, 'an object such as { events: 100000 }', describe(given));
  refuseUnknown(given, NAMES, `${setting}.`);
  const bound = (name: keyof BacklogLimit, none: number): number => {
    const value = given[name] === undefined ? none : given[name];
    if (value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && Number(value) >= 1)) return Number(value);
    throw new SettingError(`${setting}.${name}`, 'an integer from 1 up', describe(value));
  };
  return {
    events: bound('events', otherwise.events),
    bytes: bound('bytes', otherwise.bytes),
    ageMs: bound('age', otherwise.ageMs),
  };
}
