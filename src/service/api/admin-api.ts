import type { Clock } from '../../base/time/clock.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { Storage } from '../../store/storage.js';
import type { Audiences } from '../audiences/audiences.js';
import type { ServiceConfig } from '../config/service-config.js';
import type { Deletions } from '../deletions/deletions.js';
import type { DeliveryJobs } from '../letters/delivery-jobs.js';
import type { Operations } from '../operations/operations.js';
import type { DestinationSwitches } from '../routing/destination-switches.js';
import type { ManagedDestinations } from '../routing/managed-destinations.js';
import type { Changes } from './admin-changes.js';
import type { EndedSessions } from './ended-sessions.js';

/** The parts of the service that answer the calls of the API. */
export interface AdminApi {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly managedDestinations: ManagedDestinations;
  readonly switches: DestinationSwitches;
  readonly ledger: Ledger;
  readonly audiences: Audiences;
  readonly deletions: Deletions;
  readonly deliveryJobs: DeliveryJobs;
  readonly changes: Changes;
  readonly endedSessions: EndedSessions;
  readonly operations: Operations;
  /** The configuration in use. */
  config(): ServiceConfig;
}
