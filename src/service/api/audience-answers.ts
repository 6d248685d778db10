/** An audience or a computed trait, with its changes. */
interface SyncedReport {
  readonly name: string;
  /** @format date-time */
  readonly createdAt: string;
  /** When the last change was completed; null before the first one. @format date-time */
  readonly syncedAt: string | null;
  /** The running change. */
  readonly sync?: AudienceProgress | undefined;
}

export interface AudienceReport extends SyncedReport {
  /** The trait that its members have: `high_value_users`. */
  readonly trait: string;
  readonly members: number;
}

export interface AudienceProgress {
  /**
   * `receiving`: nothing is changed yet, and nothing will be if the list breaks off. `applying`: the change will be completed.
   */
  readonly phase: 'receiving' | 'applying';
  /** The number of ids received so far, including repetitions. */
  readonly received: number;
  /** The number of ids compared so far, without repetitions. */
  readonly applied: number;
}

export interface TraitReport extends SyncedReport {
  /** The trait that holds the value: `lifetime_value`. */
  readonly trait: string;
  /** The number of users who have a value. */
  readonly users: number;
}

/** The result of changing a computed trait, counted in users. */
export interface TraitResult {
  readonly name: string;
  readonly trait: string;
  /** The number of users who have a value now. */
  readonly users: number;
  /** The number of users who got a value. */
  readonly added: number;
  /** The number of users whose value changed. */
  readonly changed: number;
  /** The number of users who no longer have a value. */
  readonly removed: number;
}

/** The result of changing an audience, counted in users. */
export interface SyncResult {
  readonly name: string;
  readonly trait: string;
  /** The number of members now. */
  readonly members: number;
  readonly joined: number;
  readonly left: number;
}
