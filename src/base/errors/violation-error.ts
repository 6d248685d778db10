import { EventferryError } from './errors.js';

/** One way in which a message breaks its client's catalogue. */
export interface Violation {
  /**
   * `EVENTFERRY_UNKNOWN_EVENT`: the catalogue has no event of this name. `EVENTFERRY_VIOLATION`: the properties or traits do not
   * match the schema. `EVENTFERRY_SCHEMA_FAILED`: the schema threw, or returned a promise, so the message was not checked.
   */
  readonly code: 'EVENTFERRY_UNKNOWN_EVENT' | 'EVENTFERRY_VIOLATION' | 'EVENTFERRY_SCHEMA_FAILED';
  /** One line that says what is wrong, and where. */
  readonly message: string;
  /** The name of the event; only for `track`. */
  readonly event: string | undefined;
  /** The place of the first mistake: `track.properties.items[3].price`. */
  readonly path: string;
  /** The schema's own messages, at most the first 100; empty when it gave none. */
  readonly issues: readonly ViolationIssue[];
  /** The error that the schema threw. */
  readonly cause?: unknown;
}

/** One problem that a schema found in a message. */
export interface ViolationIssue {
  /** The place: `track.properties.items[3].price`. */
  readonly path: string;
  /** The schema's message. */
  readonly message: string;
}

/** A message breaks its client's catalogue: thrown, lost, or passed to the event `violation`, as `onViolation` says. */
export class ViolationError extends EventferryError {
  override readonly name = 'ViolationError';
  declare readonly code: Violation['code'];
  /** The name of the event; only for `track`. */
  declare readonly event: string | undefined;
  /** The place of the first mistake: `track.properties.items[3].price`. */
  declare readonly path: string;
  /** The schema's own messages, at most the first 100; empty when it gave none. */
  declare readonly issues: readonly ViolationIssue[];

  constructor(violation: Violation) {
    super(violation.message, violation);
    Object.assign(this, violation);
  }
}
