import type { DeletionReport } from '../api/answers.js';
import type { Job } from '../jobs/job-runner.js';

/** A request to delete users, as it is on the key-value store. The users themselves lie beside it until it is done. */
export interface DeletionRecord extends Job {
  /** When it was requested, in ms since 1970. */
  readonly at: number;
  /** How many users. */
  readonly users: number;
  /** The sources for which each user is to be deleted. */
  readonly sources: readonly string[];
  /** Whether the users may still be in audiences, which they leave before anything is sent. */
  readonly isInAudiences?: boolean | undefined;
  /** How many of the notifications, user by user and for each user source by source, are stored. */
  readonly done: number;
}

export const DELETIONS = 'deletion/';

/** A mark for each that is not done, to find those among all of a year. */
export const UNDONE = 'deletion-undone/';

export const deletionKey = (id: string): string => DELETIONS + encodeURIComponent(id);
export const undoneKey = (id: string): string => UNDONE + encodeURIComponent(id);

/** Under another prefix, so that a list of deletions does not read all their users. */
export const usersKey = (id: string): string => `deletion-users/${encodeURIComponent(id)}`;

export const notificationsOf = ({ users, sources }: DeletionRecord): number => users * sources.length;

export const isDone = (record: DeletionRecord): boolean =>
  record.isInAudiences !== true && record.done >= notificationsOf(record);

export const reportOf = (record: DeletionRecord): DeletionReport => ({
  id: record.id,
  at: new Date(record.at).toISOString(),
  users: record.users,
  sources: record.sources,
  notifications: notificationsOf(record),
  done: record.done,
  status: isDone(record) ? 'done' : 'running',
});
