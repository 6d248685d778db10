export { EventferryError, OptionError, ValidationError } from '../base/errors/errors.js';
export type { Context } from '../protocol/context.js';
export type {
  AliasEvent,
  DeleteEvent,
  GroupEvent,
  IdentifyEvent,
  PageEvent,
  ScreenEvent,
  TrackEvent,
  WebhookEvent,
  WebhookEventType,
} from '../protocol/event.js';
export type { Integrations } from '../protocol/integrations.js';
export type { PageProperties } from '../protocol/page.js';
export { RawBodyError } from '../signature/bytes.js';
export { sign, verify } from '../signature/sign.js';
export { standardHeaders, verifyStandard } from '../signature/standard.js';
export type { Answer } from './answer.js';
export { compareMessages, type Sortable } from './compare-messages.js';
export { BodyConsumedError, RefusedError } from './errors.js';
export { type FastifyPlugin, toFastifyPlugin } from './fastify.js';
export { type KoaMiddleware, toKoaMiddleware } from './koa.js';
export { type NodeHandler, toNodeHandler } from './node.js';
export type { Delivery, FailureContext, ReceiverOptions } from './options.js';
export type { UnknownEvent } from './read-event.js';
export { createReceiver, type IncomingRequest, type Receiver, type Reception } from './receiver.js';
export { toWebHandler } from './web.js';
