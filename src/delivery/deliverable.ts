import type { TypedMessage } from '../protocol/calls.js';
import type { Timestamp } from '../protocol/timestamp.js';

/** A user's request to be forgotten. Endpoints receive these three fields and nothing else. */
export interface DeleteNotification {
  type: 'delete';
  userId: string;
  timestamp: Timestamp;
  /** Identifies the notification here; never sent. @default a UUID of version 7 */
  messageId?: string | undefined;
}

/** A message from a collector, or the notification that a user is to be deleted. */
export type Deliverable = (TypedMessage & { messageId: string; timestamp: Timestamp }) | DeleteNotification;
