import { Analytics } from '../client/analytics.js';
import { CLOSE_TIMEOUT_MS } from '../client/ending/ending.js';
import { nodePlatform } from '../client/platform.js';
import type { Stats } from '../client/queue/stats.js';
import type { DiagnosticsMessages, FindChannel } from '../client/report/channels.js';
import type { AnalyticsEvents } from '../client/report/client-events.js';
import type { Catalogue } from '../events/catalogue.js';
import type { Message } from '../protocol/message.js';
import { type CaptureOptions, checkArgument, resolveCapture } from './capture-options.js';
import { type CapturedMessages, capturedMessages } from './captured-messages.js';
import { ManualClock, settled } from './manual-clock.js';
import { type CapturedRequest, type FailureOptions, MemoryCollector } from './memory-collector.js';
import type { ExpectedMessage } from './verdict.js';
import { MessageWaiters, type WaitOptions } from './wait.js';

/** A client in a test, and what it did. The functions need no `this`, so you can destructure the object. */
export interface CapturedAnalytics<C extends Catalogue = Catalogue> extends Disposable, AsyncDisposable {
  /** The client, for the code under test. */
  readonly analytics: Analytics<C>;
  /** The messages that calls have queued, in the form that is sent. Each is in the list as soon as its call returns. */
  readonly events: CapturedMessages<C>;
  /** The messages that the collector has accepted. */
  readonly delivered: CapturedMessages<C>;
  /** The messages that were lost, and why. */
  readonly lost: readonly AnalyticsEvents['lost'][];
  /** The requests, including failed ones. */
  readonly requests: readonly CapturedRequest[];
  /**
   * Resolves with the first of the `events` that matches, now or later: a name, some fields, or a function.
   *
   * @throws Error if none comes within `timeout` milliseconds of real time
   */
  waitFor(expected: ExpectedMessage, options?: WaitOptions): Promise<Message>;
  /**
   * Makes the collector answer the next request with this status.
   *
   * @throws OptionError
   */
  failNext(status: number, options?: FailureOptions): void;
  /** Makes every connection to the collector fail from now on. */
  offline(): void;
  /** Makes the collector reachable again. The client tries it after its current pause, which `advance` can skip. */
  online(): void;
  /** Makes the collector refuse the message with this id, and accept the others of its batch. */
  reject(messageId: string, reason?: string): void;
  /** Advances the client's clock by `ms` milliseconds and runs everything that becomes due. Takes no real time. */
  advance(ms: number): Promise<void>;
  /** Empties the lists and cancels every failure that was asked for. The queue keeps its messages. */
  clear(): void;
  /** Closes the client with the options of its own `close`, and advances its clock as needed. Resolves with its final counts. */
  close(options?: { timeout?: number | undefined }): Promise<Stats>;
}

/**
 * Creates a client whose messages stay in the memory of the test. It is the real client: it checks, batches and retries. Its
 * collector is a list, its clock moves only when you call `advance`, and its ids and pauses are the same on every run.
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
  const [accepted, taken]: [Message[], Message[]] = [[], []];
  const lost: AnalyticsEvents['lost'][] = [];
  const requests: CapturedRequest[] = [];
  const collector = new MemoryCollector(requests);
  const waiting = new MessageWaiters(accepted);
  const { analytics, clock } = clientWith(captureOptions, collector, (message) => waiting.note(message));
  analytics.on('delivered', ({ message }) => taken.push(message));
  analytics.on('lost', (loss) => lost.push(loss));
  // Without a listener, the client would warn of failures that the test has asked for.
  analytics.on('retry', () => {});
  const pass = async (ms: number): Promise<void> => {
    await settled();
    await clock.pass(ms);
  };
  const close: CapturedAnalytics['close'] = async (closeOptions) => {
    const closed = analytics.close(closeOptions);
    await pass(CLOSE_TIMEOUT_MS);
    return closed;
  };
  const waitFor: CapturedAnalytics['waitFor'] = (expected, waitOptions) => waiting.for(expected, waitOptions, waitFor);
  const { failNext, offline, online, reject } = collector;
  return {
    ...{ analytics, events: capturedMessages(accepted), delivered: capturedMessages(taken), lost, requests },
    ...{ waitFor, failNext, offline, online, reject, close },
    async advance(ms) {
      checkArgument('advance', Number.isFinite(ms) && ms >= 0, 'called with a number of milliseconds from 0 up', ms);
      await pass(ms);
    },
    clear() {
      for (const list of [accepted, taken, lost, requests]) list.length = 0;
      collector.recover();
    },
    [Symbol.dispose]: () => void close(),
    [Symbol.asyncDispose]: async () => void (await close()),
  };
}

/** Creates the client and its clock. @param note called with each message that the queue accepts */
function clientWith<C extends Catalogue>(
  captureOptions: CaptureOptions<C>,
  { transport }: MemoryCollector,
  note: (message: Message) => void,
) {
  const { options, startMs } = resolveCapture(captureOptions);
  const clock = new ManualClock(startMs);
  const analytics = new Analytics<C>(
    // Signals are ignored, because the client's clock stands still and would never let it give up.
    { closeOnSignal: false, ...options, transport },
    { ...nodePlatform, clock, random: () => 0.5, newId: countedIds(), findChannel: alsoAccepted(note) },
  );
  return { analytics, clock };
}

/** Makes UUIDs that count up, so that they are the same in every run. */
function countedIds(): () => string {
  let count = 0;
  return () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`;
}

/** Returns a lookup of the process's diagnostics channels that also calls `note` for each message that the queue accepts. */
function alsoAccepted(note: (message: Message) => void): FindChannel {
  return (name) => {
    const channel = nodePlatform.findChannel?.(name);
    if (name !== 'message:accepted') return channel;
    return {
      hasSubscribers: true,
      publish(published) {
        note(JSON.parse((published as DiagnosticsMessages['eventferry:message:accepted']).json));
        channel?.publish(published);
      },
    };
  };
}
