import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { type Cleanup, withCleanup } from '../../base/structures/cleanup.js';
import type { ReceivedMessage } from '../../collector/received-message.js';
import type { Destination } from '../../destination/index.js';
import { createReceiver, toNodeHandler, type WebhookEvent } from '../../webhooks/index.js';
import { type DevServer, startDev } from '../dev/dev-server.js';
import { listenOn, urlOf } from '../listen/listen-on.js';

export interface LoopOptions {
  readonly port: number;
  readonly writeKey: string;
  /** Called with each message that the collector accepts. */
  onCollected(message: ReceivedMessage): void;
  /** Called with each event whose signature is valid. */
  onDelivered(event: WebhookEvent): void;
}

export interface Loop {
  /** The URL of the collector and of the page. */
  readonly url: string;
  /** Resolves when every collected message has been delivered or given up. */
  delivered(): Promise<void>;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/**
 * The longest timeout that is allowed. The receiver runs in this process, so if a busy machine stalls it for seconds, no message
 * should be sent twice.
 */
const REQUEST_TIMEOUT_MS = 60_000;
/**
 * The number of waiting deliveries at which the collector makes its clients wait. The destination has room for one further batch.
 */
const MOST_WAITING = 5_000;

/** Runs collector, destination and receiver on local sockets, so that each message sent ends in a signed POST. */
export const openLoop = (options: LoopOptions): Promise<Loop> => withCleanup((cleanup) => openParts(cleanup, options));

async function openParts(cleanup: Cleanup, { port, writeKey, onCollected, onDelivered }: LoopOptions): Promise<Loop> {
  const secret = randomUUID();
  const receiver = createServer(
    toNodeHandler(createReceiver({ secrets: secret, onEvent: (event) => onDelivered(event) })),
  );
  cleanup.defer(() => {
    receiver.close();
    receiver.closeAllConnections();
  });
  const webhook = urlOf(HOST, await listenOn(receiver, { port: 0, host: HOST }));
  const dev: DevServer = await startDev({
    port,
    host: HOST,
    writeKey,
    webhook: [webhook],
    secret,
    requestTimeout: REQUEST_TIMEOUT_MS,
    async onMessages(messages) {
      for (const message of messages) onCollected(message);
      await roomIn(dev.destination);
    },
  });
  cleanup.defer(() => dev.close());
  return { url: dev.url, delivered: async () => dev.destination?.idle(), close: () => cleanup.close() };
}

/** Resolves when fewer than `MOST_WAITING` deliveries wait. */
async function roomIn(destination: Destination | undefined): Promise<void> {
  while (destination !== undefined && countWaiting(destination) >= MOST_WAITING) {
    await new Promise<void>((resolve) => {
      const stop = destination.on('attempt', () => {
        stop();
        resolve();
      });
    });
  }
}

function countWaiting(destination: Destination): number {
  const { accepted, delivered, dead } = destination.counters();
  return accepted - delivered - dead;
}
