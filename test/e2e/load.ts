import { setTimeout as delay } from 'node:timers/promises';
import { Analytics as SegmentAnalytics } from '@segment/analytics-node';
import { Analytics, type Message } from 'eventferry';
import { expect, onTestFinished } from 'vitest';
import { expectUnchanged, sixCalls } from './calls.js';
import { methodsOf } from './clients.js';
import type { WebhookReceiver } from './receiver.js';

/** The JSON that a client sends for a call. */
type Sent = Record<string, unknown>;

/** A client that makes calls for as long as it should. */
interface Caller {
  /** Makes a call. `acknowledged` is called for each message that the service has acknowledged. */
  call(number: number, acknowledged: (message: Sent) => void): void;
  /** Resolves when every call has ended. */
  close(): Promise<void>;
}

/** The number of calls at a time, and the pause between them in ms: about 800 calls a second. */
const BURST = 8;
const PAUSE_MS = 10;

/** The maximum number of calls that wait for an answer, so that a slow machine has no more to finish than a fast one. */
const MOST_WAITING = 2_000;

/** Makes calls continuously from a client that retries when it gets no answer. */
export class Load {
  /** The messages that the service has acknowledged. */
  readonly acknowledged = new Map<string, Sent>();
  readonly #caller: Caller;
  readonly #calling: Promise<void>;
  #calls = 0;
  #isStopped = false;

  constructor(caller: Caller) {
    this.#caller = caller;
    this.#calling = this.#call();
    onTestFinished(() => {
      this.#isStopped = true;
    });
  }

  /** Resolves when `count` more messages were acknowledged. */
  async more(count: number): Promise<void> {
    const enough = this.acknowledged.size + count;
    while (this.acknowledged.size < enough) await delay(5);
  }

  /** Stops making calls, and resolves when each call was acknowledged. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#calling;
    await this.#caller.close();
    expect(this.acknowledged.size).toBe(this.#calls);
  }

  /** Checks that everything acknowledged arrives, each time exactly as it was sent. */
  async expectArrivedAt(receiver: WebhookReceiver): Promise<void> {
    await receiver.has(this.acknowledged.keys());
    for (const [id, sent] of this.acknowledged) {
      for (const arrived of receiver.arrived.get(id) ?? []) expectUnchanged(arrived, sent);
    }
  }

  async #call(): Promise<void> {
    const acknowledged = (message: Sent): void => {
      this.acknowledged.set(String(message['messageId']), message);
    };
    while (!this.#isStopped) {
      const burst = Math.min(BURST, MOST_WAITING - (this.#calls - this.acknowledged.size));
      for (let each = 0; each < burst; each++) this.#caller.call(this.#calls++, acknowledged);
      await delay(PAUSE_MS);
    }
  }
}

/** Makes a load with our own client. */
export function eventferryLoad(url: string, writeKey: string): Load {
  const messages = new Map<string, string>();
  const noteDown = (message: Message): Message => {
    messages.set(message.messageId, JSON.stringify(message));
    return message;
  };
  const analytics = new Analytics({ endpoint: url, writeKey, flushAfter: 20, before: noteDown });
  onTestFinished(async () => void (await analytics.close({ timeout: 0 })));
  return new Load({
    call(number, acknowledged) {
      const { type, fields } = callOf(number);
      const { messageId, delivered } = methodsOf(analytics)[type](fields) as ReturnType<Analytics['track']>;
      void delivered.then(
        () => acknowledged(JSON.parse(messages.get(messageId) ?? '')),
        () => {},
      );
    },
    async close() {
      await analytics.close({ timeout: 120_000 });
    },
  });
}

/** Makes a load with the client of Segment. */
export function segmentLoad(url: string, writeKey: string): Load {
  const analytics = new SegmentAnalytics({ host: url, writeKey, flushAt: 20, flushInterval: 50, maxRetries: 1_000 });
  return new Load({
    call(number, acknowledged) {
      const { type, fields } = callOf(number);
      methodsOf(analytics)[type](fields, (error, context) => {
        if (!error) acknowledged(JSON.parse(JSON.stringify(context?.event)));
      });
    },
    async close() {
      await analytics.closeAndFlush({ timeout: 120_000 });
    },
  });
}

const callOf = (number: number) => {
  const calls = sixCalls(`user ${number}`);
  const call = calls[number % calls.length];
  if (call === undefined) throw new Error('No call');
  return call;
};
