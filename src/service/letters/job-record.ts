import { shorten } from '../../base/text/printable.js';
import type { DeliveryJob } from '../api/delivery-answers.js';
import type { StoredJob } from '../jobs/job-runner.js';

/** The maximum length of the error that is reported, because each of very many destinations may have its own. */
const MOST_ERROR_LENGTH = 2_000;

/** A replay or discard, as it is stored. */
export interface JobRecord extends StoredJob {
  readonly id: string;
  readonly act: DeliveryJob['act'];
  /** The name of the destination; undefined means all configured destinations, one after the other. */
  readonly destination: string | undefined;
  readonly filter: DeliveryJob['filter'];
  /**
   * The webhook to which a replay sends the dead letters of webhooks that are no longer configured. If the destination itself is
   * no longer configured, the destination that receives all of them.
   */
  readonly sendTo?: string | undefined;
  /** The limit in deliveries per second, if there is one. */
  readonly rate: number | undefined;
  /** In ms since 1970, as are all times here. */
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  readonly status: 'running' | 'done' | 'stopped' | 'failed';
  /** The number of matching deliveries when the job began, if known. */
  readonly meant: number | undefined;
  readonly deliveries: number;
  readonly skipped: DeliveryJob['skipped'];
  /** The destination that the job is working on; undefined before the first. */
  readonly at?: string | undefined;
  /** The place in that destination after which the job continues. */
  readonly cursor?: string | undefined;
  readonly error?: string | undefined;
}

export const JOBS = 'letters/';

export const jobKey = (id: string): string => JOBS + encodeURIComponent(id);

/**
 * Returns the job in the form in which the API returns it. A stopped job runs until its holder has written the exact counts, or
 * is known to have been killed.
 */
export const jobReport = (record: JobRecord, now: number): DeliveryJob => {
  const { holder, status, endedAt } = record;
  const isEnding = status === 'stopped' && holder !== undefined && holder.until > now;
  return {
    id: record.id,
    act: record.act,
    destination: record.destination ?? null,
    filter: record.filter,
    status: isEnding ? 'running' : status,
    deliveries: record.deliveries,
    skipped: record.skipped,
    meant: record.meant ?? null,
    rate: record.rate ?? null,
    startedAt: new Date(record.startedAt).toISOString(),
    endedAt: isEnding || endedAt === undefined ? null : new Date(endedAt).toISOString(),
    error: record.error === undefined ? null : shorten(record.error, MOST_ERROR_LENGTH),
  };
};
