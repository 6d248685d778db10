export { OptionError } from '../base/errors/errors.js';
export type {
  AudienceProgress,
  AudienceReport,
  ChangeReport,
  DeadLetter,
  DeadLetterCount,
  DeadLetterFilter,
  DeadLetterWithBody,
  DeletionReport,
  DestinationReport,
  EndpointReport,
  HourCount,
  HourTotals,
  LetterChange,
  LetterJob,
  RemovedDestination,
  RequestedDeletion,
  SourceReport,
  Status,
  SyncResult,
  TraitReport,
  TraitResult,
} from '../service/api/answers.js';
export type {
  AnswerReport,
  AttemptReport,
  DeliveryExplanation,
  EndpointExplanation,
  RecentDelivery,
  TestRequest,
  TestResult,
  WaitingDelivery,
  WaitingFilter,
} from '../service/api/delivery-answers.js';
export type {
  DestinationHistory,
  LastHour,
  RejectionReport,
  SourceHistory,
  ViolationReport,
} from '../service/api/history-answers.js';
export type { DiscardRequest, MembershipChange, ReplayRequest, TraitChange, TraitValue } from '../service/api/types.js';
export { AdminClient } from './admin-client.js';
export {
  AdminConflictError,
  AdminConnectionError,
  AdminNotFoundError,
  AdminRefusedError,
  AdminUnauthorizedError,
  AdminUnavailableError,
} from './errors.js';
export type {
  AdminClientOptions,
  CallOptions,
  DeletionOptions,
  DeliveryFilter,
  HistoryOptions,
} from './options.js';
export type { SyncAudienceOptions } from './sync-client.js';
