export { OptionError } from '../base/errors/errors.js';
export type { DeleteNotification, Deliverable } from '../delivery/deliverable.js';
export type { Attempt, DeathReason } from '../delivery/state.js';
export { type LmdbStoreOptions, lmdbStore } from '../store/lmdb/lmdb-storage.js';
export { memoryStore } from '../store/memory/memory-storage.js';
export type { Store } from '../store/store.js';
export {
  LmdbMissingError,
  StoreDamagedError,
  StoreFullError,
  StoreInUseError,
  StoreOpenError,
  StoreWriteError,
} from '../store/store-errors.js';
export type { BulkOptions, BulkProgress } from './changes/bulk.js';
export type { DeadLetter } from './changes/dead-letters.js';
export type { DeadLetterFilter, DiscardFilter } from './changes/delivery-filter.js';
export type { WaitingDelivery, WaitingFilter } from './changes/waiting-deliveries.js';
export { Destination } from './destination.js';
export { DestinationClosedError, ReplayTargetError } from './destination-errors.js';
export type {
  AttemptReport,
  BreakerReport,
  DeadReport,
  DeliveredReport,
  DestinationEvents,
  FailingReport,
} from './destination-events.js';
export type { EndpointReport } from './endpoints/endpoint-report.js';
export type { EndpointExplanation, Explanation } from './endpoints/explain-endpoint.js';
export type { Receipt } from './intake/arrivals.js';
export type { Counters } from './reports/reports.js';
export type { DestinationOptions } from './settings/destination-options.js';
export type { WebhookOptions } from './settings/destination-settings.js';
