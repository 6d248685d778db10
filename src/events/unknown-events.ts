import type { Violation } from '../base/errors/violation-error.js';
import { suggest } from '../base/options/suggest.js';
import { describe } from '../base/text/describe.js';

/**
 * The longest name that is compared with the catalogue. Longer names take too long to compare and are unlikely to be misspelt.
 */
const LONGEST_COMPARED = 100;

/** The most violations that are kept. A program misspells few names, but it may generate many. */
const MOST_REMEMBERED = 100;

/**
 * Makes violations for unknown events. It keeps them, because finding the intended name takes long and a program may track the
 * same unknown event often.
 */
export class UnknownEvents {
  readonly #names: readonly string[];
  readonly #violations = new Map<string, Violation>();

  /** @param names the event names of the catalogue */
  constructor(names: readonly string[]) {
    this.#names = names;
  }

  violationOf(event: string): Violation {
    const known = this.#violations.get(event);
    if (known !== undefined) return known;
    const violation = this.#compare(event);
    if (this.#violations.size < MOST_REMEMBERED) this.#violations.set(event, violation);
    return violation;
  }

  #compare(event: string): Violation {
    const meant = event.length > LONGEST_COMPARED ? undefined : suggest(event, this.#names);
    const hint = meant === undefined ? '' : `. Did you mean "${meant}"?`;
    return {
      code: 'EVENTFERRY_UNKNOWN_EVENT',
      message: `track.event: expected an event of the catalogue, got ${describe(event)}${hint}`,
      event,
      path: 'track.event',
      issues: [],
    };
  }
}
