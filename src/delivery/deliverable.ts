import type { TypedMessage } from '../protocol/calls.js';
import type { Timestamp } from '../protocol/timestamp.js';

/** A user asked to be forgotten. Endpoints get these three fields and nothing else. */
export interface DeleteNotification {
  type: 'delete';
  userId: string;
  timestamp: Timestamp;
  /** Tells it from others here; never sent. @default a UUID of version 7 */
  messageId?: string | undefined;
}

/** A message as a collector has it, or the notification that a user is to be deleted. */
export type Deliverable = (TypedMessage & { messageId: string; timestamp: Timestamp }) | DeleteNotification;
