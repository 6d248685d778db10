import { Analytics } from '../client/analytics.js';
import { CLOSE_TIMEOUT_MS } from '../client/ending/ending.js';
import { nodePlatform } from '../client/platform.js';
import type { Stats } from '../client/queue/stats.js';
import type { DiagnosticsMessages, FindChannel } from '../client/report/channels.js';
import type { AnalyticsEvents } from '../client/report/client-events.js';
import type { Catalogue } from '../events/catalogue.js';
import type { Message } from '../protocol/message.js';
import { AwaitedReceipts } from './awaited-receipts.js';
import { type CaptureOptions, checkArgument, resolveCapture } from './capture-options.js';
import { type CapturedMessages, capturedMessages } from './captured-messages.js';
import { ManualClock, settled } from './manual-clock.js';
import { type CapturedRequest, type FailureOptions, MemoryCollector } from './memory-collector.js';
import type { ExpectedMessage } from './verdict.js';
import { Waiting, type WaitOptions } from './wait.js';

/** A client in a test, and what it did. Every function works by itself: take what you need out of it. */
export interface CapturedAnalytics<C extends Catalogue = Catalogue> extends Disposable, AsyncDisposable {
  /** The client, for the code under test. */
  readonly analytics: Analytics<C>;
  /** The messages that calls have put into the queue, as they are sent: there as soon as a call has returned. */
  readonly events: CapturedMessages<C>;
  /** The messages that the collector has accepted. */
  readonly delivered: CapturedMessages<C>;
  /** The messages that are lost, and why. */
  readonly lost: readonly AnalyticsEvents['lost'][];
  /** The requests, those that failed included. */
  readonly requests: readonly CapturedRequest[];
  /**
   * Resolves with the first of the `events` that matches, now or later: a name, some fields, or a function.
   *
   * @throws Error when none came within `timeout` milliseconds of the machine's clock
   */
  waitFor(expected: ExpectedMessage, options?: WaitOptions): Promise<Message>;
  /**
   * The collector answers the next request with this status.
   *
   * @throws OptionError
   */
  failNext(status: number, options?: FailureOptions): void;
  /** Nothing listens at the collector's address from now on. */
  offline(): void;
  /** The collector listens again. The client tries it after the pause that it is in: `advance` passes it. */
  online(): void;
  /** The collector refuses the message with this id, and accepts those beside it. */
  reject(messageId: string, reason?: string): void;
  /** Lets so many milliseconds pass for the client, and everything happen that is due by then. Does not wait. */
  advance(ms: number): Promise<void>;
  /** Empties the lists, and ends every failure that was asked for. What waits in the queue still waits. */
  clear(): void;
  /** Closes the client with the options of its own `close`, and lets the necessary time pass. Resolves with its final counts. */
  close(options?: { timeout?: number | undefined }): Promise<Stats>;
}

/**
 * Creates a client whose messages stay in the memory of the test. It is the real one: it checks, batches and retries. Its collector
 * is a list, its clock moves only when you call `advance`, and its ids and pauses are the same on every run.
 *
 * @throws OptionError
 * @example
 * const { analytics, events } = captureAnalytics();
 * checkOut(analytics);
 * expect(events.track('Order Completed')).toHaveLength(1);
 */
export function captureAnalytics<C extends Catalogue = Catalogue>(
  captureOptions: CaptureOptions<C> = {},
): CapturedAnalytics<C> {
  const { options, startMs } = resolveCapture(captureOptions);
  const clock = new ManualClock(startMs);
  const [accepted, taken]: [Message[], Message[]] = [[], []];
  const lost: AnalyticsEvents['lost'][] = [];
  const requests: CapturedRequest[] = [];
  const collector = new MemoryCollector(requests);
  const waiting = new Waiting(accepted);
  // biome-ignore lint/suspicious/noConsole: a runner shows it beside the test that waits.
  const awaited = new AwaitedReceipts((hint) => console.warn(hint));
  const note = (json: string): void => {
    const message: Message = JSON.parse(json);
    accepted.push(message);
    waiting.note(message);
  };
  const analytics = new Analytics<C>(
    // Its clock would not let it give up when a signal ends the test.
    { closeOnSignal: false, ...options, transport: collector.transport },
    {
      ...nodePlatform,
      clock,
      random: () => 0.5,
      newId: countedIds(),
      findChannel: alsoAccepted(note),
      watchReceipt: (receipt) => awaited.watch(receipt),
    },
  );
  analytics.on('delivered', ({ message }) => taken.push(message));
  analytics.on('lost', (loss) => lost.push(loss));
  // Without a listener the client would warn of failures that the test has asked for.
  analytics.on('retry', () => {});
  const close: CapturedAnalytics['close'] = async (closeOptions) => {
    const closed = analytics.close(closeOptions);
    await settled();
    await clock.pass(CLOSE_TIMEOUT_MS);
    return closed;
  };
  const waitFor: CapturedAnalytics['waitFor'] = (expected, waitOptions) => waiting.for(expected, waitOptions, waitFor);
  return {
    analytics,
    events: capturedMessages(accepted),
    delivered: capturedMessages(taken),
    lost,
    requests,
    waitFor,
    failNext: (status, failure) => collector.failNext(status, failure),
    offline: () => collector.offline(),
    online: () => collector.online(),
    reject: (messageId, reason = 'refused by the test') => collector.reject(messageId, reason),
    async advance(ms) {
      checkArgument('advance', Number.isFinite(ms) && ms >= 0, 'called with a number of milliseconds from 0 up', ms);
      await settled();
      await clock.pass(ms);
    },
    clear() {
      for (const list of [accepted, taken, lost, requests]) list.length = 0;
      collector.recover();
    },
    close,
    [Symbol.dispose]: () => void close(),
    [Symbol.asyncDispose]: async () => void (await close()),
  };
}

/** Makes UUIDs that count up, so that they are the same on every run. */
function countedIds(): () => string {
  let count = 0;
  return () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`;
}

/** Finds the channels of the process, and calls `note` for each message that the queue accepts. */
function alsoAccepted(note: (json: string) => void): FindChannel {
  return (name) => {
    const channel = nodePlatform.findChannel?.(name);
    if (name !== 'message:accepted') return channel;
    return {
      hasSubscribers: true,
      publish(published) {
        note((published as DiagnosticsMessages['eventferry:message:accepted']).json);
        channel?.publish(published);
      },
    };
  };
}
