import { checkOptions, integer, type Rule, type Rules } from '../base/options/check-options.js';
import type { Bounds } from '../scheduler/backlog-bounds.js';

/** The most deliveries that may wait at one endpoint. The bound that is reached first holds. */
export interface BacklogLimit {
  /** The most deliveries without an end, 1 or more. */
  events?: number | undefined;
  /** The most bytes of their bodies, 1 or more. */
  bytes?: number | undefined;
  /** The longest that a delivery may wait, in milliseconds, 1 or more: from when it was accepted, or first tried. */
  age?: number | undefined;
}

/** No more dead letters than this are kept. The bound that is reached first holds. */
export interface DeadLetterLimit {
  /** The most events, 1 or more. @default 1_000_000 */
  events?: number | undefined;
  /** The most bytes of their bodies and of the answers kept with them. @default 10_000_000_000 */
  bytes?: number | undefined;
  /** The longest time, in milliseconds, since the event was accepted. @default 2_592_000_000, 30 days */
  age?: number | undefined;
}

const DAY_MS = 24 * 60 * 60_000;

/** People have a month to notice, and what is kept does not fill a small disk, or the memory of a Redis, unless somebody asks for more. */
export const DEAD_LETTERS: Bounds = { events: 1_000_000, bytes: 10_000_000_000, ageMs: 30 * DAY_MS };

const most: Rule = {
  expected: 'an integer from 1 up',
  holds: (value) => value === Number.POSITIVE_INFINITY || integer(1).holds(value),
};

const RULES: Rules<BacklogLimit> = { events: most, bytes: most, age: most };

/** @throws OptionError */
export function checkBounds(at: string, given: BacklogLimit | undefined, otherwise: Bounds): Bounds {
  if (given === undefined) return otherwise;
  checkOptions(given, RULES, { door: 'destination', at });
  return {
    events: given.events ?? otherwise.events,
    bytes: given.bytes ?? otherwise.bytes,
    ageMs: given.age ?? otherwise.ageMs,
  };
}
