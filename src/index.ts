export {
  AbortedError,
  AnswerError,
  ClosedError,
  ConnectionError,
  EventferryError,
  FlushTimeoutError,
  ForgottenError,
  HookError,
  LoadError,
  MessageTooLargeError,
  OptionError,
  OutsideRunError,
  QueueFullError,
  RefusesAllError,
  RejectedError,
  RetriesExhaustedError,
  ValidationError,
} from './base/errors/errors.js';
export {
  JournalError,
  type JournalErrorCode,
  LeftInJournalError,
  NoJournalError,
} from './base/errors/journal-errors.js';
export { ViolationError } from './base/errors/violation-error.js';
export { Analytics } from './client/analytics.js';
export type { AnalyticsOptions, Before, CatalogueOptions } from './client/analytics-options.js';
export type { AnalyticsClient, TrackerClient } from './client/calls/analytics-client.js';
export type { Defaults } from './client/calls/defaults.js';
export type { FlushOptions, Identity, MaybeIdentified, Tracker } from './client/calls/tracker.js';
export type { Forgettable } from './client/forget/forget.js';
export type { ImportOptions } from './client/import/import-options.js';
export { ImportError, type ImportReport } from './client/import/report.js';
export type { JournalEvent } from './client/journal/journal-event.js';
export type { JournalOptions } from './client/journal/journal-options.js';
export type { Forgotten } from './client/queue/forgotten.js';
export type { Receipt } from './client/queue/receipt.js';
export type { Stats } from './client/queue/stats.js';
export type { DiagnosticsMessages } from './client/report/channels.js';
export type { AnalyticsEvents } from './client/report/client-events.js';
export type { LogDetails, Logger } from './client/report/logger.js';
export type { Transport, TransportAnswer, TransportRequest } from './client/transport/transport.js';
export type { AnyEvents, Catalogue } from './events/catalogue.js';
export type * from './protocol/calls.js';
export type { Context } from './protocol/context.js';
export type { Integrations } from './protocol/integrations.js';
export type * from './protocol/message.js';
export type { PageProperties } from './protocol/page-properties.js';
