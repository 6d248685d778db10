import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { createHttpServer, type Handler, startListening, urlOf } from '../../collector/collector-server.js';
import { boundBody } from '../../collector/request-body.js';
import { ActiveResponses } from '../../collector/responses.js';

export interface Listening {
  readonly url: string;
  readonly address: AddressInfo;
}

export const TIMEOUTS = { headersTimeout: 15_000, bodyTimeout: 30_000 };

/** The deadline in ms for a body whose route sets no earlier one. */
const BODY_MS = 35_000;

/** The time limit in ms for any request. Only the list of an audience or trait may use all of it, as it can be very long. */
const UPLOAD_MS = 60 * 60_000;
const isUpload = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'PUT' && /^\/v1\/(audiences|traits)\//.test(url);

/** How long running calls may take to end after the service begins to close, in ms. */
const LINGER_MS = 5_000;

/** How long a kept-alive connection may still deliver a request that was sent before the service began to close, in ms. */
const ON_ITS_WAY_MS = 100;

/** The service's ports, and its running calls. */
export class HttpServer {
  readonly #underWay = new ActiveResponses();
  readonly #bodyMs: number;
  readonly #servers: Server[] = [];
  /** Resolves when the servers accept no connections and the last open one has closed. */
  #closed: Promise<unknown> = Promise.resolve();

  constructor(bodyMs = BODY_MS) {
    this.#bodyMs = bodyMs;
  }

  /** Wraps a handler: `close` waits for its calls, and request bodies get a deadline. */
  watched(handler: Handler): Handler {
    return (incoming, outgoing) => {
      this.#underWay.enter(outgoing);
      boundBody(incoming, outgoing, isUpload(incoming) ? UPLOAD_MS : this.#bodyMs);
      handler(incoming, outgoing);
    };
  }

  /** @throws any error of node:http, such as one with the code `EADDRINUSE` */
  async listen(handler: Handler, { host, port }: { host: string; port: number }): Promise<Listening> {
    const server = createHttpServer(handler, TIMEOUTS);
    server.requestTimeout = UPLOAD_MS;
    const address = await startListening(server, port, host);
    this.#servers.push(server);
    return { url: urlOf(address), address };
  }

  /** Accepts no more connections. Open ones stay, because their client may already have sent its next request. */
  stop(): void {
    const listening = this.#servers.filter((server) => server.listening);
    if (listening.length > 0) this.#closed = Promise.all(listening.map((server) => once(server, 'close')));
    // The close method of node:net is used, because that of node:http would cut every connection that seems idle.
    for (const server of listening) NetServer.prototype.close.call(server);
    this.#underWay.closeConnections();
  }

  /** Answers requests that are already on their way, and waits a limited time for running calls to end. */
  async close(): Promise<void> {
    this.stop();
    await Promise.race([this.#closed, delay(ON_ITS_WAY_MS)]);
    // A busy process may only now read a request that arrived in time.
    await turn();
    await this.#underWay.idle(LINGER_MS);
    for (const server of this.#servers) server.closeAllConnections();
  }
}
