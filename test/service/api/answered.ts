import type { Hono } from 'hono';
import { toFetch } from '../../../src/collector/web.js';
import { type Env, handlerOf } from '../../../src/service/api/admin-router.js';

/** Returns the answer of an app that gets its requests as in a service: with the request and the response of Node. */
export const answered = (app: Hono<Env>, path: string, init: RequestInit): Promise<Response> =>
  toFetch(handlerOf(app))(new Request(`http://localhost${path}`, init));
