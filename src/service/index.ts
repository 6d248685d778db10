export type { MembershipChange } from './audiences/change.js';
export type { AudienceProgress, AudienceReport, SyncResult } from './audiences/record.js';
export {
  ServiceConflictError,
  ServiceConnectionError,
  ServiceNotFoundError,
  ServiceOptionError,
  ServiceRefusedError,
  ServiceUnauthorizedError,
  ServiceUnavailableError,
} from './client/errors.js';
export {
  type CallOptions,
  type DeletionOptions,
  type DeletionReport,
  ServiceClient,
  type ServiceClientOptions,
} from './client/service-client.js';
