export type { Calls, MessageTypeName, TypedMessage } from '../protocol/calls.js';
export type { WebhookEvent } from '../protocol/webhook-event.js';
export { type Checked, type Issue, type MessageSchema, message, messages, webhookEvent } from './message-schemas.js';
