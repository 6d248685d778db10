import { randomUUID } from 'node:crypto';
import { Collector } from '../../collector/collector.js';
import type { CollectorOptions } from '../../collector/options.js';
import type { ReceivedMessage } from '../../collector/received-message.js';
import { createHttpServer } from '../../collector/server.js';
import { recordInto } from '../../dashboard/server/collect.js';
import { openDeliveries } from '../../dashboard/server/deliveries.js';
import { Feed } from '../../dashboard/server/feed.js';
import { readPage } from '../../dashboard/server/page.js';
import { createSite } from '../../dashboard/server/site.js';
import { createTestSender } from '../../dashboard/server/test-sender.js';
import type { Destination } from '../../destination/index.js';
import { listenOn, urlOf } from '../server.js';
import { snippetOf } from './snippet.js';

export interface DevServerOptions {
  readonly port: number;
  readonly host: string;
  readonly writeKey: string;
  /** Whether the key is in the environment of this process, where the snippet reads it too. @default false */
  readonly isKeyInEnvironment?: boolean | undefined;
  /** URLs that get every message, up to five. */
  readonly webhook?: readonly string[] | undefined;
  /** Signs the deliveries. */
  readonly secret?: string | undefined;
  /** How long a webhook may take to answer, in ms. @default that of a destination */
  readonly requestTimeout?: number | undefined;
  /** Awaited before the collector answers for these messages. */
  onMessages?: ((messages: readonly ReceivedMessage[]) => Promise<void>) | undefined;
  /** Sees each request to the collector after it was answered. */
  onAnswered?: CollectorOptions['onAnswered'];
}

/** A collector and its debugger page on one port, in memory. */
export interface DevServer {
  /** Where clients send to, and where the page is. */
  readonly url: string;
  /** Delivers to the webhooks; undefined without any. */
  readonly destination: Destination | undefined;
  close(): Promise<void>;
}

const TIMEOUTS = { headersTimeout: 15_000, bodyTimeout: 30_000 };

/**
 * @throws CliError when the port is taken, or the page is not built
 * @throws OptionError when there are too many webhooks, or one of them cannot be one
 */
export async function startDev(options: DevServerOptions, html?: string): Promise<DevServer> {
  const { port, host, writeKey, webhook: webhooks = [], secret, requestTimeout } = options;
  const { onMessages, isKeyInEnvironment } = options;
  const feed = new Feed();
  const deliveries =
    webhooks.length === 0 ? undefined : await openDeliveries({ webhooks, secret, requestTimeout }, feed);
  // Known, and read, only once the server listens.
  let url = '';
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
  const sender = createTestSender(writeKey);
  const site = createSite({
    html: html ?? (await readPage()),
    feed,
    epoch: randomUUID(),
    snippet: () => snippetOf(url, writeKey, isKeyInEnvironment),
    host,
    otherwise: collector.handler,
    send: (message) => sender.send(message),
    deliveries,
  });
  const server = createHttpServer(site, TIMEOUTS);
  url = urlOf(reachable(host), await listenOn(server, { port, host }));
  sender.start(url);
  return {
    url,
    destination: deliveries?.destination,
    async close() {
      server.close();
      await sender.close();
      await collector.close();
      await deliveries?.close();
      server.closeAllConnections();
    },
  };
}

const reachable = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host);
