import type { Violation } from '../base/errors/violation-error.js';
import { suggest } from '../base/options/suggest.js';
import { describe } from '../base/text/describe.js';

/** Longer names take long to compare, and mean none of the catalogue. */
const LONGEST_COMPARED = 100;

/** A program makes a mistake in few names; those that it makes up are not kept. */
const MOST_REMEMBERED = 100;

/** Names that a catalogue does not have. A program may track one often, and to find what it means takes long. */
export class UnknownEvents {
  readonly #names: readonly string[];
  readonly #violations = new Map<string, Violation>();

  /** @param names those of the catalogue */
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
