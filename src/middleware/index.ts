export { OptionError } from '../base/errors/errors.js';
export type { CookieOptions } from './cookie.js';
export {
  expressMiddleware,
  type FastifyInstance,
  type FastifyRequest,
  fastifyPlugin,
  type HonoContext,
  honoMiddleware,
  type KoaContext,
  koaMiddleware,
  withRun,
} from './middleware.js';
export type { NodeRequest } from './node.js';
export type { AnonymousIdPlace, PageOptions, RequestOptions } from './request-options.js';
export type { RequestClient, Runner } from './runner.js';
