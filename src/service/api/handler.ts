import { isCollecting } from '../../collector/routes.js';
import type { Handler } from '../../collector/server.js';
import { straighten } from '../../collector/target.js';

/** What the collector has a path for goes straight there, and all else to the service's own routes. */
export const createHandler =
  ({ collect, own }: { collect: Handler; own: Handler }): Handler =>
  (incoming, outgoing) =>
    isCollecting(straighten(incoming)) ? collect(incoming, outgoing) : own(incoming, outgoing);
