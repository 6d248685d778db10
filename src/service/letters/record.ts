import type { DeadLetterFilter, LetterJob } from '../api/answers.js';
import type { Job } from '../jobs/job-runner.js';

export type LetterAct = 'replay' | 'discard';

/** A replay or discard of dead letters, as it is on the key-value store. */
export interface JobRecord extends Job {
  readonly act: LetterAct;
  readonly destination: string;
  readonly filter: DeadLetterFilter;
  /** The webhook that gets the letters of webhooks that are configured no more, where a replay names one. */
  readonly sendTo?: string | undefined;
  /** Deliveries a second, where there is a limit. */
  readonly rate: number | undefined;
  /** In ms since 1970, as are all times here. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly status: 'running' | 'done' | 'stopped' | 'failed';
  /** How many there were when it began, where that is known. */
  readonly meant: number | undefined;
  readonly deliveries: number;
  /** Where it goes on. */
  readonly cursor: string | undefined;
  readonly error: string | undefined;
}

export const JOBS = 'letters/';

export const jobKey = (id: string): string => JOBS + encodeURIComponent(id);

export const jobReport = (record: JobRecord): LetterJob => ({
  id: record.id,
  act: record.act,
  destination: record.destination,
  filter: record.filter,
  status: record.status,
  deliveries: record.deliveries,
  meant: record.meant ?? null,
  rate: record.rate ?? null,
  startedAt: new Date(record.startedAt).toISOString(),
  endedAt: record.endedAt === undefined ? null : new Date(record.endedAt).toISOString(),
  error: record.error ?? null,
});
