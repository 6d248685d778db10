/** A request to delete users. */
export interface DeletionReport {
  readonly id: string;
  /** When it was asked for. @format date-time */
  readonly at: string;
  /** The number of users. */
  readonly users: number;
  /** The sources to which it is limited or, without a limit, those whose destinations are notified. */
  readonly sources: readonly string[];
  /** True when everything that it does is limited to `sources`. */
  readonly limited: boolean;
  /** The number of notifications that are to be stored: one for each user and each source. */
  readonly notifications: number;
  /** The number of notifications that are stored. */
  readonly done: number;
  /** The number of attempts at the users' events that were removed from the recent deliveries. */
  readonly erased: number;
  readonly status: 'running' | 'done';
}

/** What a deletion erases of one source. */
export interface SourceDeletion {
  readonly source: string;
  /** The destinations that get the notifications. */
  readonly destinations: readonly string[];
  readonly notifications: number;
  /** The number of deliveries that wait. */
  readonly waiting: number;
  /** The number of dead letters. */
  readonly dead: number;
  /** The number of attempts among the recent deliveries. */
  readonly attempts: number;
}

/** What a deletion erases, in numbers. */
export interface DeletionPreview {
  /** The number of users. */
  readonly users: number;
  /** The number of notifications that are sent: one for each user and each source. */
  readonly notifications: number;
  /** The number of memberships of audiences that end, and of values of computed traits. */
  readonly memberships: number;
  /** The sources with anything to erase or a destination to tell. */
  readonly bySource: readonly SourceDeletion[];
  /** True when there may be more, because counting stops after about 50,000 events. */
  readonly hasMore?: true;
}
