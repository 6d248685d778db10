import type { RequestListener } from 'node:http';
import { describeThrown } from '../../base/errors/describe-thrown.js';
import { type Rules, required } from '../../base/options/check-options.js';
import { type AdminContext, createRouter, handlerOf, handOver } from '../../service/api/admin-router.js';
import { filled, readFields, readObject } from '../../service/api/read-fields.js';
import { ApiRefusal } from '../../service/api/refusals.js';
import { isOwnRequest } from './guard.js';
import type { Feed } from './live-feed.js';
import { pageHeaders } from './page-response.js';
import type { Deliveries } from './seen-deliveries.js';
import { streamFeed } from './stream.js';

export interface SiteOptions {
  readonly html: string;
  readonly feed: Feed;
  /** Returns the lines of code that send an event here. */
  snippet(): readonly string[];
  /** The name or address that the server listens on. */
  readonly host: string;
  /** Handles every request that is not for the debugger. */
  readonly otherwise: RequestListener;
  /** Sends a test event and returns the result. */
  send(message: Record<string, unknown>): Promise<SendResult>;
  /** Absent without webhooks. */
  readonly deliveries?: Pick<Deliveries, 'replay' | 'clear'> | undefined;
}

export interface SendResult {
  readonly isDelivered: boolean;
  /** The id of the message, or the reason why it was not delivered. */
  readonly text: string;
}

type Answer = (context: AdminContext) => Response | Promise<Response>;

/** The maximum size of a request from the page, in bytes. It is far above the collector's limit for a message. */
const MAX_FORM_BYTES = 256 * 1024;

const DELIVERY: Rules<{ id: string; endpoint: string }> = { id: required(filled), endpoint: required(filled) };

/** Serves the debugger page and answers its requests. All other requests are passed on. */
export function createSite(options: SiteOptions): RequestListener {
  const app = createRouter(() => {});
  const routes = routesOf(options);
  for (const [route, answer] of Object.entries(routes)) {
    const [method, path] = route.split(' ') as [string, string];
    app.on(method, path, async (context) => {
      if (!isOwnRequest(context.env.incoming.headers, options.host))
        throw new ApiRefusal('other_origin', 'This page is for this machine only.');
      return answer(context);
    });
  }
  const handler = handlerOf(app);
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (Object.hasOwn(routes, `${request.method} ${path}`)) handler(request, response);
    else options.otherwise(request, response);
  };
}

function routesOf({ html, feed, snippet, send, deliveries }: SiteOptions): Readonly<Record<string, Answer>> {
  const headers = pageHeaders(html);
  const about = () => ({ snippet: snippet(), isForwarding: deliveries !== undefined });
  const page: Answer = ({ env }) => handOver(env, (_, response) => void response.writeHead(200, headers).end(html));
  return {
    'GET /': page,
    'HEAD /': page,
    'GET /debugger/feed': ({ env }) => handOver(env, (...exchange) => streamFeed(feed, ...exchange, about())),
    async 'POST /debugger/clear'(context) {
      feed.clear();
      await deliveries?.clear();
      return context.body(null, 204);
    },
    async 'POST /debugger/send'(context) {
      const message = await readObject(context, MAX_FORM_BYTES);
      return context.json(await send(message).catch(refuse));
    },
    async 'POST /debugger/replay'(context) {
      const { id, endpoint } = await readFields(context, DELIVERY);
      if (deliveries === undefined) throw new ApiRefusal('replay_target', 'There are no webhooks.');
      return context.json({ text: await deliveries.replay(id, endpoint).catch(refuse) });
    },
  };
}

function refuse(error: unknown): never {
  throw new ApiRefusal('internal_error', describeThrown(error), { cause: error });
}
