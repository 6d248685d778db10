export type { BacklogLimit, DeadLetterLimit } from './bounds.js';
export type { BulkOptions, BulkProgress } from './bulk.js';
export type { SettleRule, StoredEvent } from './completion-rule.js';
export type { DeadLetter, DeadLetterFilter } from './dead-letters.js';
export type { DeleteNotification, Deliverable, DeliverableType } from './deliverable.js';
export { Destination, type Receipt } from './destination.js';
export type { EndpointReport } from './endpoints.js';
export {
  DestinationClosedError,
  LmdbMissingError,
  ReplayTargetError,
  SettingError,
  StoreDamagedError,
  StoreFullError,
  StoreInUseError,
  StoreOpenError,
  StoreWriteError,
} from './errors.js';
export type { EndpointExplanation, Explanation } from './explain.js';
export type { EndpointName, WebhookName } from './known-webhooks.js';
export { type LmdbStoreOptions, lmdbStore } from './lmdb-store.js';
export { memoryStore } from './memory-store.js';
export type { ResultClass } from './outcome.js';
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
export type { DestinationSettings } from './settings.js';
export type { Attempt, Dead, DeathReason, Delivered, Pending, Retrying, StoredState } from './state.js';
export type { Backlog, DeadTotals, KnownWebhook, Place, Stage, Store, WebhookChange } from './store.js';
export type { WebhookSettings } from './webhook.js';
