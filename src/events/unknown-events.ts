import type { Violation } from '../base/errors/violation-error.js';
import { suggest } from '../base/options/suggest.js';
import { describe } from '../base/text/describe.js';

/** The most violations that are kept. A program misspells few names, but it may generate many. */
const MOST_REMEMBERED = 100;

/**
 * Returns a function that makes the violation for an unknown event. It keeps violations, because finding the intended name takes
 * long and a program may track the same unknown event often.
 *
 * @param names the event names of the catalogue
 */
export function unknownEvents(names: readonly string[]): (event: string) => Violation {
  const violations = new Map<string, Violation>();
  return (event) => {
    const violation = violations.get(event) ?? violationOf(event, names);
    if (violations.size < MOST_REMEMBERED) violations.set(event, violation);
    return violation;
  };
}

function violationOf(event: string, names: readonly string[]): Violation {
  const meant = suggest(event, names);
  const hint = meant === undefined ? '' : `. Did you mean "${meant}"?`;
  return {
    code: 'EVENTFERRY_UNKNOWN_EVENT',
    message: `track.event: expected an event of the catalogue, got ${describe(event)}${hint}`,
    event,
    path: 'track.event',
    issues: [],
  };
}
