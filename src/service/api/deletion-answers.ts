/** A request to delete users. */
export interface DeletionReport {
  readonly id: string;
  /** When it was requested. @format date-time */
  readonly at: string;
  /** The number of users. */
  readonly users: number;
  /** The sources that the deletion is limited to or, without a limit, those whose destinations are notified. */
  readonly sources: readonly string[];
  /** True if the whole deletion is limited to `sources`. */
  readonly limited: boolean;
  /** The total number of notifications: one for each user and source. */
  readonly notifications: number;
  /** The number of notifications that are stored so far. */
  readonly done: number;
  /** The number of attempts for the users' events that were removed from the recent deliveries. */
  readonly erased: number;
  readonly status: 'running' | 'done';
}

/** What a deletion erases for one source. */
export interface SourceDeletion {
  readonly source: string;
  /** The destinations that receive the notifications. */
  readonly destinations: readonly string[];
  readonly notifications: number;
  /** The number of waiting deliveries. */
  readonly waiting: number;
  /** The number of dead letters. */
  readonly dead: number;
  /** The number of attempts in the recent deliveries. */
  readonly attempts: number;
}

/** What a deletion erases, in numbers. */
export interface DeletionPreview {
  /** The number of users. */
  readonly users: number;
  /** The number of notifications: one for each user and source. */
  readonly notifications: number;
  /** The number of memberships in audiences and of values of computed traits that end. */
  readonly memberships: number;
  /** The sources that have something to erase or a destination to notify. */
  readonly bySource: readonly SourceDeletion[];
  /** True if there may be more, because counting stops after about 50,000 events. */
  readonly hasMore?: true;
}
