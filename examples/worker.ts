// A Cloudflare Worker that tracks each request, and sends what it tracked after the answer.
import { Analytics } from 'eventferry/fetch';

interface Env {
  readonly EVENTFERRY_ENDPOINT?: string;
  readonly EVENTFERRY_WRITE_KEY?: string;
}

interface ExecutionContext {
  waitUntil(promise: Promise<unknown>): void;
}

// biome-ignore lint/style/noDefaultExport: it is what a Worker is.
export default {
  fetch(request: Request, env: Env, context: ExecutionContext): Response {
    // One for each request: a Worker may not use the connections and timers of another request.
    const analytics = new Analytics({
      endpoint: env.EVENTFERRY_ENDPOINT ?? 'http://127.0.0.1:4100',
      writeKey: env.EVENTFERRY_WRITE_KEY ?? 'dev',
    });
    const { pathname } = new URL(request.url);
    analytics.page({ anonymousId: 'a1', name: pathname, context: { locale: request.headers.get('accept-language') } });
    // It resolves when every message is delivered or lost, and the Worker goes on until then.
    context.waitUntil(analytics.close().then(({ delivered }) => console.log(`${delivered} delivered`)));
    return new Response(`You asked for ${pathname}\n`);
  },
};
