import type { Send } from './http-transport.js';
import { credentialsFor, refusedBy } from './proxy.js';
import type { Route } from './route.js';

/**
 * Has a proxy pass requests on, where there is one and the collector is asked by http: each request names the whole URL (RFC
 * 9112, section 3.2.2).
 */
export function forwarded({ origin, proxy }: Route, send: Send): Send {
  if (proxy === undefined || origin.startsWith('https:')) return send;
  return async (request) => {
    request.target = request.url;
    request.headers = { ...request.headers, 'Proxy-Connection': 'keep-alive', ...credentialsFor(proxy) };
    const answer = await send(request);
    if (answer.status === 407) throw refusedBy(proxy);
    return answer;
  };
}
