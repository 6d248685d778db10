import type { HttpBindings } from '@hono/node-server';

/** What a route has beside the request: node's own objects. */
export type Env = { Bindings: HttpBindings };
