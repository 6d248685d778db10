export { OptionError } from '../base/errors/errors.js';
export type {
  ChangeReport,
  DestinationPage,
  DestinationReport,
  DestinationState,
  EndpointReport,
  HourCount,
  SourcePage,
  SourceReport,
  Status,
} from '../service/api/answer-types.js';
export type {
  AudienceProgress,
  AudienceReport,
  SyncResult,
  TraitReport,
  TraitResult,
} from '../service/api/audience-answers.js';
export type { DeletionPreview, DeletionReport, SourceDeletion } from '../service/api/deletion-answers.js';
export type {
  AnswerReport,
  AttemptReport,
  DeliveryChange,
  DeliveryCount,
  DeliveryExplanation,
  DeliveryFilter,
  DeliveryJob,
  DeliveryReport,
  EndpointExplanation,
  TestRequest,
  TestResult,
} from '../service/api/delivery-answers.js';
export type {
  DeliveryErrorReport,
  DestinationHistory,
  HourTotals,
  LastHour,
  RejectionReport,
  SourceHistory,
  ViolationReport,
} from '../service/api/history-answers.js';
export type {
  DestinationQuery,
  DiscardRequest,
  MembershipChange,
  ReplayRequest,
  SourceQuery,
  TraitChange,
  TraitValue,
} from '../service/api/requests.js';
export { AdminClient } from './admin-client.js';
export {
  AdminConflictError,
  AdminConnectionError,
  AdminNotFoundError,
  AdminRefusedError,
  AdminUnauthorizedError,
  AdminUnavailableError,
} from './admin-errors.js';
export type {
  AdminClientOptions,
  CallOptions,
  CountsOptions,
  DeletionOptions,
  DeliveryListOptions,
  HistoryOptions,
  SyncAudienceOptions,
} from './admin-options.js';
