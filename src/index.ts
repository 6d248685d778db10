export { Analytics } from './client/analytics.js';
export { CLOSE_TIMEOUT_MS } from './client/ending.js';
export type { AnalyticsEvents, Listener } from './client/events.js';
export type { ImportOptions, ImportSignal, ImportSource } from './client/import/options.js';
export { ImportError, type ImportProgress, type ImportReport } from './client/import/report.js';
export type { Logger } from './client/log.js';
export type { AnalyticsOptions, Before } from './client/options.js';
export type { Receipt } from './client/queue/receipt.js';
export type { Stats } from './client/queue/stats.js';
export type { FlushOptions, Identity, MaybeIdentified, Tracker } from './client/tracker.js';
export type { MakeHeaders, RequestHeaders } from './client/transport/headers.js';
export type { Pem, TlsOptions } from './client/transport/tls.js';
export type { AnswerHeaders, Transport, TransportAnswer, TransportRequest } from './client/transport/transport.js';
export {
  AbortedError,
  AnswerError,
  type AttemptError,
  ClosedError,
  ConnectionError,
  EventferryError,
  FlushTimeoutError,
  HookError,
  LoadError,
  MessageTooLargeError,
  OptionError,
  QueueFullError,
  RefusesAllError,
  RejectedError,
  RetriesExhaustedError,
  ValidationError,
} from './errors.js';
export { MAX_BATCH_BYTES, MAX_MESSAGE_BYTES } from './limits.js';
export type { Alias, AliasMessage } from './protocol/alias.js';
export type { AnyObject } from './protocol/any-object.js';
export type { CommonFields, SentFields } from './protocol/common.js';
export type { Context, ContextInput } from './protocol/context.js';
export type { Defaults } from './protocol/draft.js';
export type { Group, GroupMessage } from './protocol/group.js';
export type { Identify, IdentifyMessage } from './protocol/identify.js';
export type { Integrations, IntegrationsInput } from './protocol/integrations.js';
export type { Message, MessageTypeName, TypedMessage } from './protocol/message.js';
export type { Page, PageMessage, PageProperties, PagePropertiesInput } from './protocol/page.js';
export type { Screen, ScreenMessage } from './protocol/screen.js';
export type { Timestamp } from './protocol/timestamp.js';
export type { Track, TrackMessage } from './protocol/track.js';
