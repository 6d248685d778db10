export { OptionError } from '../errors.js';
export type {
  AudienceProgress,
  AudienceReport,
  DeadLetter,
  DeadLetterFilter,
  DeadLetterWithBody,
  DeletionReport,
  DestinationReport,
  EndpointReport,
  LetterChange,
  LetterJob,
  RequestedDeletion,
  SyncResult,
} from '../service/api/answers.js';
export type {
  AnswerReport,
  AttemptReport,
  DeliveryExplanation,
  EndpointExplanation,
  RecentDelivery,
  TestRequest,
  TestResult,
} from '../service/api/delivery-answers.js';
export type { DiscardRequest, MembershipChange, ReplayRequest } from '../service/api/types.js';
export {
  AdminClient,
  type AdminClientOptions,
  type CallOptions,
  type DeletionOptions,
  type DeliveryFilter,
} from './admin-client.js';
export {
  AdminConflictError,
  AdminConnectionError,
  AdminNotFoundError,
  AdminRefusedError,
  AdminUnauthorizedError,
  AdminUnavailableError,
} from './errors.js';
