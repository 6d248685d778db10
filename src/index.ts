export { Analytics } from './analytics.js';
export type { Caller, FlushOptions, Identity } from './caller.js';
export { CLOSE_TIMEOUT_MS } from './ending.js';
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
export type { AnalyticsEvents, Listener } from './events.js';
export type { ImportOptions, ImportSignal, ImportSource } from './import/options.js';
export { ImportError, type ImportProgress, type ImportReport } from './import/report.js';
export { MAX_BATCH_BYTES, MAX_MESSAGE_BYTES } from './limits.js';
export type { Logger } from './log.js';
export type { Alias } from './messages/alias.js';
export type { CommonFields } from './messages/common.js';
export type { Context } from './messages/context.js';
export type { Defaults } from './messages/draft.js';
export type { Group } from './messages/group.js';
export type { Identify } from './messages/identify.js';
export type { Integrations } from './messages/integrations.js';
export type { Message, MessageTypeName, TypedMessage } from './messages/message.js';
export type { Page, PageProperties } from './messages/page.js';
export type { Screen } from './messages/screen.js';
export type { Timestamp } from './messages/timestamp.js';
export type { Track } from './messages/track.js';
export type { AnalyticsOptions, Before } from './options.js';
export type { Stats } from './queue/ledger.js';
export type { Receipt } from './queue/receipt.js';
export type { MakeHeaders, RequestHeaders } from './transport/headers.js';
export type { Pem, TlsOptions } from './transport/tls.js';
export type { AnswerHeaders, Transport, TransportAnswer, TransportRequest } from './transport/transport.js';
