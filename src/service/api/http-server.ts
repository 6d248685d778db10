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

/** The deadline of a body for which no route has set an earlier one, in ms. */
const BODY_MS = 35_000;

/** The list of an audience or a trait may take this long, in ms, because it may be very long; and so may any request as a whole. */
const UPLOAD_MS = 60 * 60_000;
const isUpload = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'PUT' && /^\/v1\/(audiences|traits)\//.test(url);

/** Running calls may take this long to end once the service closes, in ms. */
const LINGER_MS = 5_000;

/** A connection that is kept open may bring a request that was on its way for this long after the service began to close, in ms. */
const ON_ITS_WAY_MS = 100;

/** The service's ports, and its running calls. */
export class HttpServer {
  readonly #underWay = new ActiveResponses();
  readonly #bodyMs: number;
  readonly #servers: Server[] = [];
  /** Resolves once there is no connection any more, after it has stopped taking any. */
  #closed: Promise<unknown> = Promise.resolve();

  constructor(bodyMs = BODY_MS) {
    this.#bodyMs = bodyMs;
  }

  /** The same handler, whose calls are waited for at the end and whose bodies have a deadline. */
  watched(handler: Handler): Handler {
    return (incoming, outgoing) => {
      this.#underWay.enter(outgoing);
      boundBody(incoming, outgoing, isUpload(incoming) ? UPLOAD_MS : this.#bodyMs);
      handler(incoming, outgoing);
    };
  }

  /** @throws what node:http throws, such as an error with the code `EADDRINUSE`. */
  async listen(handler: Handler, { host, port }: { host: string; port: number }): Promise<Listening> {
    const server = createHttpServer(handler, TIMEOUTS);
    server.requestTimeout = UPLOAD_MS;
    const address = await startListening(server, port, host);
    this.#servers.push(server);
    return { url: urlOf(address), address };
  }

  /** Takes no more connections. Open ones stay: a client that has just been answered may have asked again. */
  stop(): void {
    const listening = this.#servers.filter((server) => server.listening);
    if (listening.length > 0) this.#closed = Promise.all(listening.map((server) => once(server, 'close')));
    // This closes as a server of node:net does, because one of node:http would cut all connections that seem idle.
    for (const server of listening) NetServer.prototype.close.call(server);
    this.#underWay.closeConnections();
  }

  /** Answers requests that are on their way, and lets running calls end, for a while. */
  async close(): Promise<void> {
    this.stop();
    await Promise.race([this.#closed, delay(ON_ITS_WAY_MS)]);
    // A busy process reads a request that came in time only now.
    await turn();
    await this.#underWay.idle(LINGER_MS);
    for (const server of this.#servers) server.closeAllConnections();
  }
}
