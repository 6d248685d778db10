export { OptionError } from '../base/errors/errors.js';
export type { DeleteNotification, Deliverable } from '../delivery/deliverable.js';
export type { Attempt, DeathReason } from '../delivery/state.js';
export { type LmdbStoreOptions, lmdbStore } from '../store/lmdb/lmdb-stores.js';
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
export type { Receipt } from './arrivals.js';
export type { BulkOptions, BulkProgress } from './bulk.js';
export type { DeadLetter } from './dead-letters.js';
export type { DeadLetterFilter, DiscardFilter } from './delivery-filter.js';
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
export type { DestinationOptions } from './destination-options.js';
export type { WebhookOptions } from './destination-settings.js';
export type { EndpointReport } from './endpoint-report.js';
export type { EndpointExplanation, Explanation } from './explain-endpoint.js';
export type { Counters } from './reports.js';
export type { WaitingDelivery, WaitingFilter } from './waiting-deliveries.js';
