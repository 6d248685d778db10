import { type Cleanup, withCleanup } from '../../base/structures/cleanup.js';
import { Collector } from '../../collector/collector.js';
import type { CollectorOptions } from '../../collector/collector-options.js';
import { createHttpServer } from '../../collector/collector-server.js';
import type { ReceivedMessage } from '../../collector/received-message.js';
import { recordInto } from '../../dashboard/server/collect.js';
import { Feed } from '../../dashboard/server/live-feed.js';
import { createSite } from '../../dashboard/server/live-site.js';
import { readPage } from '../../dashboard/server/page-response.js';
import { Deliveries } from '../../dashboard/server/seen-deliveries.js';
import { createTestSender } from '../../dashboard/server/test-sender.js';
import type { Destination } from '../../destination/index.js';
import { listenOn, urlOf } from '../listen/listen-on.js';
import { snippetOf } from './snippet.js';

export interface DevServerOptions {
  readonly port: number;
  readonly host: string;
  readonly writeKey: string;
  /** True if the key came from the environment; the snippet then reads it from there too. @default false */
  readonly isKeyInEnvironment?: boolean | undefined;
  /** URLs that receive every message, up to five. */
  readonly webhook?: readonly string[] | undefined;
  /** The secret that signs the deliveries. */
  readonly secret?: string | undefined;
  /** How long a webhook may take to answer, in ms. @default that of a destination */
  readonly requestTimeout?: number | undefined;
  /** Called with the accepted messages, and awaited before the collector answers. */
  onMessages?: ((messages: readonly ReceivedMessage[]) => Promise<void>) | undefined;
  /** Called with each request to the collector after its response. */
  onAnswered?: CollectorOptions['onAnswered'];
}

/** A collector and its debugger page on one port, in memory. */
export interface DevServer {
  /** The URL of the collector and of the page. */
  readonly url: string;
  /** Lines of code that send an event. */
  readonly snippet: readonly string[];
  /** Delivers to the webhooks; undefined if there are none. */
  readonly destination: Destination | undefined;
  close(): Promise<void>;
}

const TIMEOUTS = { headersTimeout: 15_000, bodyTimeout: 30_000 };

/**
 * Starts a collector with its page, and a destination if there are webhooks.
 *
 * @throws CliError if the port is taken or the page is not built
 * @throws OptionError if there are too many webhooks or one is invalid
 */
export const startDev = (options: DevServerOptions, html?: string): Promise<DevServer> =>
  withCleanup((cleanup) => openDev(cleanup, options, html));

async function openDev(cleanup: Cleanup, options: DevServerOptions, html: string | undefined): Promise<DevServer> {
  const { port, host, writeKey, webhook: webhooks = [], secret, requestTimeout } = options;
  const { onMessages, isKeyInEnvironment } = options;
  const feed = new Feed();
  const deliveries =
    webhooks.length === 0 ? undefined : await Deliveries.open({ webhooks, secret, requestTimeout }, feed);
  cleanup.defer(() => deliveries?.close());
  // The URL is known once the server listens, and no request reads the snippet earlier.
  let snippet: readonly string[] = [];
  const record = recordInto(feed);
  const collector = new Collector({
    ...record,
    sources: [{ name: 'dev', writeKey }],
    onAnswered(answered, source, request) {
      record.onAnswered?.(answered, source, request);
      options.onAnswered?.(answered, source, request);
    },
    async onMessages(messages, source, request) {
      await onMessages?.(messages);
      await record.onMessages(messages, source, request);
      await deliveries?.forward(messages);
    },
  });
  cleanup.defer(() => collector.close());
  const sender = createTestSender(writeKey);
  cleanup.defer(() => sender.close());
  const site = createSite({
    html: html ?? (await readPage()),
    feed,
    snippet: () => snippet,
    host,
    otherwise: collector.handler,
    send: (message) => sender.send(message),
    deliveries,
  });
  const server = createHttpServer(site, TIMEOUTS);
  cleanup.defer(() => void server.close());
  const url = urlOf(reachable(host), await listenOn(server, { port, host }));
  snippet = snippetOf(url, writeKey, isKeyInEnvironment);
  sender.start(url);
  return {
    url,
    snippet,
    destination: deliveries?.destination,
    async close() {
      await cleanup.close();
      server.closeAllConnections();
    },
  };
}

const reachable = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host);
