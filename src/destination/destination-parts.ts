import { assertUndiciRuns } from '../base/http/connections.js';
import { withCleanup } from '../base/structures/cleanup.js';
import type { Clock } from '../base/time/clock.js';
import { EventLog } from '../store/event-log.js';
import type { Dependencies } from './destination-dependencies.js';
import { Endpoints } from './endpoints/endpoints.js';
import { KnownWebhooks } from './endpoints/known-webhooks.js';
import { Reports } from './reports/reports.js';
import type { DeletedUsers } from './retention/erasure.js';
import { Retention } from './retention/retention.js';
import type { ResolvedDestinationOptions } from './settings/destination-options.js';

/** The parts of an open destination. */
export interface DestinationParts {
  readonly options: ResolvedDestinationOptions;
  readonly clock: Clock;
  readonly known: KnownWebhooks;
  readonly reports: Reports;
  readonly eventLog: EventLog;
  readonly endpoints: Endpoints;
  readonly retention: Retention;
  readonly deletedUsers: DeletedUsers | undefined;
}

/**
 * Opens the parts of a destination, and resumes what the store holds from before. If this fails, the store is released.
 *
 * @param wasRemoved whether its name was missing from the configuration for a while
 */
export async function openParts(
  options: ResolvedDestinationOptions,
  dependencies: Dependencies,
  wasRemoved = false,
): Promise<DestinationParts> {
  return withCleanup(async (cleanup) => {
    cleanup.defer(() => options.releaseStore());
    assertUndiciRuns();
    const { name, webhooks, store, settle, retryForMs: windowMs, backlogLimit, deadLetterLimit: limit } = options;
    const { clock, random, deletedUsers, recorders, counters } = dependencies;
    const reports = new Reports(clock, name, recorders, counters);
    const eventLog = new EventLog({ store, settle, windowMs, mostAgeMs: backlogLimit.ageMs, random });
    const backlog = await store.backlog();
    const waiting = backlog.map(({ url }) => url);
    const known = await KnownWebhooks.recognize(store, webhooks, waiting, wasRemoved);
    const endpoints = new Endpoints({ options, known, backlog, dependencies, eventLog, reports });
    const retention = new Retention({ store, eventLog, clock, limit, reports });
    retention.start();
    return { options, clock, known, reports, eventLog, endpoints, retention, deletedUsers };
  });
}
