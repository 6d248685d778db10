import type { Audiences } from '../audiences/audiences.js';
import type { ServiceConfig } from '../config/service-config.js';
import type { Deletions } from '../deletions/deletions.js';
import type { DeliveryJobs } from '../letters/delivery-jobs.js';
import type { Operations } from '../operations/operations.js';
import type { ServiceParts } from '../service-parts.js';
import type { Changes } from './admin-changes.js';
import type { EndedSessions } from './ended-sessions.js';

type OpenedParts = Pick<ServiceParts, 'storage' | 'clock' | 'managedDestinations' | 'switches' | 'ledger'>;

/** The parts of the service that answer the calls of the API. */
export interface AdminApi extends OpenedParts {
  readonly audiences: Audiences;
  readonly deletions: Deletions;
  readonly deliveryJobs: DeliveryJobs;
  readonly changes: Changes;
  readonly endedSessions: EndedSessions;
  readonly operations: Operations;
  /** The configuration in use. */
  config(): ServiceConfig;
}
