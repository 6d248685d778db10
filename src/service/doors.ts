import type { Collector } from '../collector/collector.js';
import { mounted } from '../collector/collector-routes.js';
import { toFetch } from '../collector/web.js';
import type { AdminApi } from './api/admin-api.js';
import { AdminAuth } from './api/admin-auth.js';
import { handlerOf } from './api/admin-router.js';
import { createApp, createHealthApp } from './api/app.js';
import { HttpServer, type Listening } from './api/http-server.js';
import type { ListenConfig } from './config/service-config.js';
import { inFrontOf } from './ingest/entrance.js';
import type { ServiceParts } from './service-parts.js';

/** The addresses of a service. */
export interface ServiceListening extends Listening {
  /** The address of the admin API, the page and the metrics; undefined if they are served at `url`. */
  readonly admin: Listening | undefined;
}

const WRONG_TOKEN = new Error('the admin token of a request is wrong');

export interface DoorsOptions extends Pick<ServiceParts, 'clock' | 'observer' | 'tracing' | 'tellError' | 'onError'> {
  readonly collector: Collector;
  readonly api: AdminApi;
}

/** Makes the servers of a service: the collector, and the admin API at the same address or its own. */
export function makeDoors(options: DoorsOptions) {
  const { collector, api, clock, observer, tracing, tellError, onError } = options;
  const { config, endedSessions: ended } = api;
  // This is decided only at the start, because a server cannot move to another address.
  const isApart = config().admin.listen !== undefined;
  const onWrongToken = (): void => tellError(WRONG_TOKEN, 'somebody was refused');
  const auth = new AdminAuth({ clock, ended, config, onWrongToken });
  const app = createApp({ api, auth, pageHandlers: observer, onError });
  const port = new HttpServer();
  // These are the handlers of the servers that the service itself starts.
  const ownAdmin = port.watched(handlerOf(app));
  const beside = isApart ? createHealthApp({ api, onError }) : app;
  const own = inFrontOf(port.watched(handlerOf(beside)), collector, tracing);
  const handler = mounted(own);
  return {
    port,
    handler,
    adminHandler: mounted(ownAdmin),
    fetch: toFetch(handler),
    /** @param adminListen undefined if the admin API is at the same address */
    async listen(listen: ListenConfig, adminListen: ListenConfig | undefined): Promise<ServiceListening> {
      const admin = adminListen && (await port.listen(ownAdmin, adminListen));
      return { ...(await port.listen(own, listen)), admin };
    },
  };
}
