export type { SettleRule } from '../delivery/completion-rule.js';
export type { DeleteNotification, Deliverable, DeliverableType } from '../delivery/deliverable.js';
export type { ResultClass } from '../delivery/outcome.js';
export type { Attempt, DeathReason } from '../delivery/state.js';
export { OptionError } from '../errors.js';
export {
  LmdbMissingError,
  StoreDamagedError,
  StoreFullError,
  StoreInUseError,
  StoreOpenError,
  StoreWriteError,
} from '../store/errors.js';
export { type LmdbStoreOptions, lmdbStore } from '../store/lmdb/lmdb-store.js';
export { memoryStore } from '../store/memory/memory-store.js';
export type { Store } from '../store/store.js';
export type { BacklogLimit, DeadLetterLimit } from './bounds.js';
export type { BulkOptions, BulkProgress } from './bulk.js';
export type { DeadLetter, DeadLetterFilter } from './dead-letters.js';
export { Destination, type Receipt } from './destination.js';
export type { EndpointReport } from './endpoints.js';
export { DestinationClosedError, ReplayTargetError } from './errors.js';
export type { EndpointExplanation, Explanation } from './explain.js';
export type { EndpointName, WebhookName } from './known-webhooks.js';
export type { DestinationOptions } from './options.js';
export type { ReplayTo } from './replay-targets.js';
export type {
  AttemptReport,
  BreakerReport,
  Counters,
  DeadReport,
  DeliveredReport,
  DestinationEventName,
  DestinationEvents,
  DropReason,
  FailingReport,
  Listener,
} from './reports.js';
export type { WebhookOptions } from './webhook.js';
