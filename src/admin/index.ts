export type { MembershipChange } from '../service/audiences/change.js';
export type { AudienceProgress, AudienceReport, SyncResult } from '../service/audiences/record.js';
export {
  AdminClient,
  type AdminClientOptions,
  type CallOptions,
  type DeletionOptions,
  type DeletionReport,
} from './admin-client.js';
export {
  AdminConflictError,
  AdminConnectionError,
  AdminNotFoundError,
  AdminOptionError,
  AdminRefusedError,
  AdminUnauthorizedError,
  AdminUnavailableError,
} from './errors.js';
