export { EventferryError, OptionError, ValidationError } from '../errors.js';
export type { Context } from '../protocol/context.js';
export type {
  AliasEvent,
  CommonEventFields,
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
export { RawBodyError } from '../signature/errors.js';
export type { HeaderBag, HeaderLookup } from '../signature/headers.js';
export { sign, verify } from '../signature/sign.js';
export {
  type StandardDelivery,
  type StandardVerification,
  standardHeaders,
  verifyStandard,
} from '../signature/standard.js';
export type { Answer } from './answer.js';
export type { BodyReader } from './body/read-body.js';
export { BodyConsumedError, RefusedError } from './errors.js';
export { type FastifyPluginOptions, toFastifyPlugin } from './fastify.js';
export { toKoaMiddleware } from './koa.js';
export { toNodeHandler } from './node.js';
export type { AcceptedSignature, Delivery, FailureContext, ReceiverOptions } from './options.js';
export type { UnknownEvent } from './read-event.js';
export { createReceiver, type IncomingRequest, type Receiver, type Reception } from './receiver.js';
export { toWebHandler } from './web.js';
