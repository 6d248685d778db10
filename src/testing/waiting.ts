import type { Message } from '../protocol/message.js';
import { type ExpectedMessage, judge } from './verdict.js';

export interface WaitOptions {
  /** How long to wait, in milliseconds of the machine's clock: for your code, not for the client. @default 4000 */
  timeout?: number | undefined;
}

/** Below the five seconds that a test has in vitest and Jest, so that the error says what was waited for. */
const TIMEOUT_MS = 4_000;

// Taken now: a test may put timers of its own in their place later.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

interface Waiter {
  readonly expected: ExpectedMessage;
  resolve(message: Message): void;
}

/** Callers that wait for messages which have not come yet. */
export class Waiting {
  readonly #messages: readonly Message[];
  readonly #waiters = new Set<Waiter>();

  constructor(messages: readonly Message[]) {
    this.#messages = messages;
  }

  /** A message has come. */
  note(message: Message): void {
    for (const waiter of this.#waiters) {
      if (!matches(message, waiter.expected)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(message);
    }
  }

  /**
   * Resolves with the first message that matches, one that came before included. Rejects when none comes in time.
   *
   * @param caller what the test called, so that the error points at its line
   */
  async for(
    expected: ExpectedMessage,
    { timeout = TIMEOUT_MS }: WaitOptions = {},
    caller?: (...args: never[]) => unknown,
  ): Promise<Message> {
    const there = this.#messages.find((message) => matches(message, expected));
    if (there !== undefined) return there;
    const failure = errorAt(caller);
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiters.delete(waiter);
        reject(failure(`Nothing came within ${timeout} ms. ${judge(this.#messages, expected).text}`));
      };
      const timer = startTimer(giveUp, timeout);
      const waiter: Waiter = {
        expected,
        resolve: (message) => {
          stopTimer(timer);
          resolve(message);
        },
      };
      this.#waiters.add(waiter);
    });
  }
}

/** An error of this moment, whose message is known later. */
function errorAt(caller: ((...args: never[]) => unknown) | undefined): (message: string) => Error {
  const place: { stack?: string } = {};
  Error.captureStackTrace(place, caller);
  return (message) => {
    const error = new Error(message);
    const frames = place.stack?.slice(place.stack.indexOf('\n    at ')) ?? '';
    error.stack = `${error.name}: ${message}${frames}`;
    return error;
  };
}

const matches = (message: Message, expected: ExpectedMessage): boolean => judge([message], expected).pass;
