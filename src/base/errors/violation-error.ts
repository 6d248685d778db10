import { EventferryError } from './errors.js';

/** How a message breaks the catalogue of its client. */
export interface Violation {
  /**
   * `EVENTFERRY_UNKNOWN_EVENT`: the catalogue has no event of this name. `EVENTFERRY_VIOLATION`: the properties or traits are not what
   * the schema says. `EVENTFERRY_SCHEMA_FAILED`: the schema threw, or answered with a promise, so they are not checked.
   */
  readonly code: 'EVENTFERRY_UNKNOWN_EVENT' | 'EVENTFERRY_VIOLATION' | 'EVENTFERRY_SCHEMA_FAILED';
  /** What is wrong, and where, in a line. */
  readonly message: string;
  /** The name of the event, of a `track`. */
  readonly event: string | undefined;
  /** Where the first mistake is: `track.properties.items[3].price`. */
  readonly path: string;
  /** What the schema said, at most the first 100; empty when it said nothing. */
  readonly issues: readonly ViolationIssue[];
  /** What the schema threw. */
  readonly cause?: unknown;
}

/** One thing that a schema has against a message. */
export interface ViolationIssue {
  /** Where: `track.properties.items[3].price`. */
  readonly path: string;
  /** In the words of the schema. */
  readonly message: string;
}

/** A message breaks the catalogue of its client: thrown, lost, or in the event `violation`, as `onViolation` says. */
export class ViolationError extends EventferryError {
  override readonly name = 'ViolationError';
  declare readonly code: Violation['code'];
  /** The name of the event, of a `track`. */
  declare readonly event: string | undefined;
  /** Where the first mistake is: `track.properties.items[3].price`. */
  declare readonly path: string;
  /** What the schema said, at most the first 100; empty when it said nothing. */
  declare readonly issues: readonly ViolationIssue[];

  constructor(violation: Violation) {
    super(violation.message, violation);
    Object.assign(this, violation);
  }
}
