import { checkOptions, timeLimit } from '../base/options/check-options.js';
import type { Message } from '../protocol/message.js';
import { type ExpectedMessage, judge } from './verdict.js';

export interface WaitOptions {
  /** The longest wait for the message, in milliseconds of real time. @default 4000 */
  timeout?: number | undefined;
}

/** vitest and Jest end a test after five seconds. This is shorter, so that our error comes first and says what is missing. */
const TIMEOUT_MS = 4_000;

// These are saved now, because a test may replace the global timers later.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/** Callers that wait for a message until it is sent. */
export class MessageWaiters {
  readonly #messages: Message[];
  /** The functions that resolve the callers, each with the message that its caller expects. */
  readonly #waiters = new Map<(message: Message) => void, ExpectedMessage>();

  constructor(messages: Message[]) {
    this.#messages = messages;
  }

  /** Adds the message to the list, and resolves the callers that wait for it. */
  note(message: Message): void {
    this.#messages.push(message);
    for (const [resolve, expected] of this.#waiters) {
      if (!matches(message, expected)) continue;
      this.#waiters.delete(resolve);
      resolve(message);
    }
  }

  /**
   * Resolves with the first message that matches, including earlier ones. Rejects if none comes in time.
   *
   * @param caller the function that the test called, so that the error points at the test's line
   */
  async for(
    expected: ExpectedMessage,
    options: WaitOptions = {},
    caller?: (...args: never[]) => unknown,
  ): Promise<Message> {
    const check = { door: 'client', example: "waitFor('…', { timeout: 1000 })" } as const;
    const { timeout = TIMEOUT_MS } = checkOptions<WaitOptions>(options, { timeout: timeLimit }, check);
    // This throws if `expected` is malformed and could never match.
    judge([], expected);
    const there = this.#messages.find((message) => matches(message, expected));
    if (there !== undefined) return there;
    const failure = errorAt(caller);
    return new Promise((resolve, reject) => {
      const timer = startTimer(() => {
        this.#waiters.delete(come);
        reject(failure(`Nothing came within ${timeout} ms. ${judge(this.#messages, expected).text}`));
      }, timeout);
      const come = (message: Message): void => {
        stopTimer(timer);
        resolve(message);
      };
      this.#waiters.set(come, expected);
    });
  }
}

/** Captures the current stack for an error whose message is known later. */
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
