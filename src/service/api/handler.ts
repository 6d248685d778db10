import type { Handler } from '../../collector/server.js';
import { straighten } from '../../collector/target.js';

/** The paths that are the service's own; those below them too. All others are the collector's. */
const OWN = new Set([
  '/',
  '/healthz',
  '/readyz',
  '/metrics',
  '/v1/session',
  '/v1/status',
  '/v1/sources',
  '/v1/destinations',
  '/v1/deliveries',
  '/v1/deletions',
  '/v1/audiences',
  '/v1/feed',
]);

/** Tells the service's own requests from the collector's, which go straight there. */
export const createHandler =
  ({ collect, own }: { collect: Handler; own: Handler }): Handler =>
  (incoming, outgoing) =>
    OWN.has(rootOf(straighten(incoming))) ? own(incoming, outgoing) : collect(incoming, outgoing);

/** `/v1/deletions` of `/v1/deletions/1?x=2`. */
function rootOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  const [, first = '', second] = path.split('/', 3);
  return first === 'v1' && second !== undefined ? `/v1/${second}` : `/${first}`;
}
