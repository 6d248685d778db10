import { EventferryError } from './errors.js';

/** A message breaks the catalogue of its client in this way. */
export interface Violation {
  /**
   * `EVENTFERRY_UNKNOWN_EVENT`: the catalogue has no event of this name. `EVENTFERRY_VIOLATION`: the properties or traits are not what
   * the schema says. `EVENTFERRY_SCHEMA_FAILED`: the schema threw, or answered with a promise, so they are not checked.
   */
  readonly code: 'EVENTFERRY_UNKNOWN_EVENT' | 'EVENTFERRY_VIOLATION' | 'EVENTFERRY_SCHEMA_FAILED';
  /** Says in a line what is wrong, and where. */
  readonly message: string;
  /** The name of the event, of a `track`. */
  readonly event: string | undefined;
  /** The place of the first mistake: `track.properties.items[3].price`. */
  readonly path: string;
  /** The schema's own words, at most the first 100; empty when it said nothing. */
  readonly issues: readonly ViolationIssue[];
  /** The error that the schema threw. */
  readonly cause?: unknown;
}

/** One thing that a schema has against a message. */
export interface ViolationIssue {
  /** The place: `track.properties.items[3].price`. */
  readonly path: string;
  /** The words of the schema. */
  readonly message: string;
}

/** A message breaks the catalogue of its client: thrown, lost, or in the event `violation`, as `onViolation` says. */
export class ViolationError extends EventferryError {
  override readonly name = 'ViolationError';
  declare readonly code: Violation['code'];
  /** The name of the event, of a `track`. */
  declare readonly event: string | undefined;
  /** The place of the first mistake: `track.properties.items[3].price`. */
  declare readonly path: string;
  /** The schema's own words, at most the first 100; empty when it said nothing. */
  declare readonly issues: readonly ViolationIssue[];

  constructor(violation: Violation) {
    super(violation.message, violation);
    Object.assign(this, violation);
  }
}
