export { OptionError } from '../errors.js';
export {
  expressMiddleware,
  type FastifyInstance,
  type FastifyRequest,
  fastifyPlugin,
  type HonoContext,
  honoMiddleware,
  type KoaContext,
  koaMiddleware,
  type Runner,
  withRun,
} from './middleware.js';
export type { NodeRequest } from './node.js';
export type { AnonymousIdPlace, RequestOptions } from './options.js';
