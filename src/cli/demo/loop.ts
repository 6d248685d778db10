import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { ReceivedMessage } from '../../collector/received-message.js';
import type { Destination } from '../../destination/index.js';
import { createReceiver, toNodeHandler, type WebhookEvent } from '../../webhooks/index.js';
import { type DevServer, startDev } from '../dev/dev-server.js';
import { listenOn, urlOf } from '../server.js';

export interface LoopOptions {
  readonly port: number;
  readonly writeKey: string;
  /** Told of each message the collector took. */
  onCollected(message: ReceivedMessage): void;
  /** Told of each event of a delivery whose signature holds. */
  onDelivered(event: WebhookEvent): void;
}

export interface Loop {
  /** Where clients send to, and where the page is. */
  readonly url: string;
  /** Resolves when all that was collected is delivered or given up. */
  delivered(): Promise<void>;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** The most there is: the receiver is this process, and where it stalls for seconds on a busy machine, nothing is to go out twice. */
const REQUEST_TIMEOUT_MS = 60_000;
/** How many deliveries may wait before the collector lets its clients wait; a batch more has room in the destination. */
const MOST_WAITING = 5_000;

/** Collector → destination → receiver, on sockets of this machine: what a client sends ends in a signed POST. */
export async function openLoop({ port, writeKey, onCollected, onDelivered }: LoopOptions): Promise<Loop> {
  const secret = randomUUID();
  const receiver = createServer(
    toNodeHandler(createReceiver({ secrets: secret, onEvent: (event) => onDelivered(event) })),
  );
  const webhook = urlOf(HOST, await listenOn(receiver, { port: 0, host: HOST }));
  const closeReceiver = (): void => {
    receiver.close();
    receiver.closeAllConnections();
  };
  const starting = startDev({
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
  // A server that listens would keep the process alive.
  const dev: DevServer = await starting.catch((error: unknown) => {
    closeReceiver();
    throw error;
  });
  return {
    url: dev.url,
    delivered: async () => dev.destination?.idle(),
    async close() {
      await dev.close();
      closeReceiver();
    },
  };
}

/** Resolves when few enough deliveries wait. */
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
