export { EventferryError, OptionError, ValidationError } from '../base/errors/errors.js';
export type { Context } from '../protocol/context.js';
export type { Integrations } from '../protocol/integrations.js';
export type { DeleteEvent } from '../protocol/message-shapes.js';
export type { PageProperties } from '../protocol/page-properties.js';
export type {
  AliasEvent,
  GroupEvent,
  IdentifyEvent,
  PageEvent,
  ScreenEvent,
  TrackEvent,
  WebhookEvent,
  WebhookEventType,
} from '../protocol/webhook-event.js';
export { RawBodyError } from '../signature/bytes.js';
export type { SignatureSchemeName } from '../signature/schemes.js';
export { standardHeaders, verifyStandard } from '../signature/standard.js';
export { sign, verify } from '../signature/x-signature.js';
export { compareMessages, type Sortable } from './compare-messages.js';
export { type FastifyPlugin, toFastifyPlugin } from './fastify.js';
export type { Answer } from './handled-answer.js';
export { type KoaMiddleware, toKoaMiddleware } from './koa.js';
export { type NodeHandler, toNodeHandler } from './node.js';
export type { UnknownEvent } from './read-event.js';
export { createReceiver, type IncomingRequest, type Receiver, type Reception } from './receiver.js';
export { BodyConsumedError, RefusedError } from './receiver-errors.js';
export type { Delivery, FailureContext, ReceiverOptions } from './receiver-options.js';
export { toWebHandler } from './web.js';
