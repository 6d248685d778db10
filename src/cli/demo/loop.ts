import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { ReceivedMessage } from '../../collector/received-message.js';
import { type Counters, Destination } from '../../destination/index.js';
import type { Message } from '../../messages/message.js';
import { createReceiver, toNodeHandler, type WebhookEvent } from '../../webhooks/index.js';
import { startDev } from '../dev.js';
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
  delivered(): Promise<Counters>;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** How many deliveries may wait before the collector lets its clients wait. */
const MOST_WAITING = 10_000;

/** Collector → destination → receiver, on sockets of this machine: what a client sends ends in a signed POST. */
export async function openLoop({ port, writeKey, onCollected, onDelivered }: LoopOptions): Promise<Loop> {
  const secret = randomUUID();
  const receiver = createServer(
    toNodeHandler(createReceiver({ secrets: secret, onEvent: (event) => onDelivered(event) })),
  );
  const webhook = urlOf(HOST, await listenOn(receiver, { port: 0, host: HOST }));
  const destination = await Destination.open({
    webhooks: [{ url: webhook }],
    sharedSecret: secret,
    allowLoopback: true,
  });
  const room = roomIn(destination);
  const onMessages = async (messages: readonly ReceivedMessage[]): Promise<void> => {
    for (const message of messages) {
      onCollected(message);
      await room();
      // A collected message has all that a sent one has; its type says less only of fields we do not touch.
      await destination.deliver(message as unknown as Message);
    }
  };
  const dev = await startDev({ port, host: HOST, writeKey, onMessages });
  return {
    url: dev.url,
    async delivered() {
      await destination.idle();
      return destination.counters();
    },
    async close() {
      await dev.close();
      await destination.close();
      receiver.close();
      receiver.closeAllConnections();
    },
  };
}

/** Resolves when few enough deliveries wait. */
function roomIn(destination: Destination): () => Promise<void> {
  const waiting = (): number => {
    const { accepted, delivered, dead } = destination.counters();
    return accepted - delivered - dead;
  };
  return async () => {
    while (waiting() >= MOST_WAITING) {
      await new Promise<void>((resolve) => {
        const stop = destination.on('delivered', () => {
          stop();
          resolve();
        });
      });
    }
  };
}
