import { shorten } from '../../base/text/printable.js';
import type { DeliveryJob } from '../api/delivery-answers.js';
import type { Job } from '../jobs/job-runner.js';

/** The most of an error that is told: each of very many destinations may have its own. */
const MOST_ERROR_LENGTH = 2_000;

/** A replay or discard, as it is on the key-value store. */
export interface JobRecord extends Job {
  readonly id: string;
  readonly act: DeliveryJob['act'];
  /** Undefined: all of the configuration, one after the other. */
  readonly destination: string | undefined;
  readonly filter: DeliveryJob['filter'];
  /**
   * The webhook that gets the letters of webhooks that the configuration no longer has, where a replay names one; of a destination that
   * it no longer has, the destination that gets all of them.
   */
  readonly sendTo?: string | undefined;
  /** Deliveries a second, where there is a limit. */
  readonly rate: number | undefined;
  /** In ms since 1970, as are all times here. */
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  readonly status: 'running' | 'done' | 'stopped' | 'failed';
  /** The number of deliveries when it began, where that is known. */
  readonly meant: number | undefined;
  readonly deliveries: number;
  readonly skipped: DeliveryJob['skipped'];
  /** The destination at which it is; undefined before the first. */
  readonly at?: string | undefined;
  /** The place there after which it continues. */
  readonly cursor?: string | undefined;
  readonly error?: string | undefined;
}

export const JOBS = 'letters/';

export const jobKey = (id: string): string => JOBS + encodeURIComponent(id);

/** The same as the API tells it. */
export const jobReport = (record: JobRecord): DeliveryJob => ({
  id: record.id,
  act: record.act,
  destination: record.destination ?? null,
  filter: record.filter,
  status: record.status,
  deliveries: record.deliveries,
  skipped: record.skipped,
  meant: record.meant ?? null,
  rate: record.rate ?? null,
  startedAt: new Date(record.startedAt).toISOString(),
  endedAt: record.endedAt === undefined ? null : new Date(record.endedAt).toISOString(),
  error: record.error === undefined ? null : shorten(record.error, MOST_ERROR_LENGTH),
});
