export interface AudienceReport {
  readonly name: string;
  /** The trait its members have: `high_value_users`. */
  readonly trait: string;
  readonly members: number;
  /** @format date-time */
  readonly createdAt: string;
  /** When the last change was done; null until the first one is. @format date-time */
  readonly syncedAt: string | null;
  /** The change that runs. */
  readonly sync?: AudienceProgress | undefined;
}

export interface AudienceProgress {
  /** `receiving`: nothing is changed yet, and nothing is if it breaks off. `applying`: it will be done. */
  readonly phase: 'receiving' | 'applying';
  /** Ids given so far, those given twice included. */
  readonly received: number;
  /** Ids compared so far, each once. */
  readonly applied: number;
}

export interface TraitReport {
  readonly name: string;
  /** The trait that a value is told in: `lifetime_value`. */
  readonly trait: string;
  /** The number of users who have a value. */
  readonly users: number;
  /** @format date-time */
  readonly createdAt: string;
  /** When the last change was done; null until the first one is. @format date-time */
  readonly syncedAt: string | null;
  /** The change that runs. */
  readonly sync?: AudienceProgress | undefined;
}

/** The result of a change of a computed trait, in users. */
export interface TraitResult {
  readonly name: string;
  readonly trait: string;
  /** The number of users who have a value now. */
  readonly users: number;
  /** Users who have got a value. */
  readonly added: number;
  /** Users who have got another value. */
  readonly changed: number;
  /** Users who have none any more. */
  readonly removed: number;
}

/** The result of a change of an audience, in users. */
export interface SyncResult {
  readonly name: string;
  readonly trait: string;
  /** The number of members now. */
  readonly members: number;
  readonly joined: number;
  readonly left: number;
}
