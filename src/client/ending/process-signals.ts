import { OptionError } from '../../base/errors/errors.js';
import { after, inOwnContext } from '../../base/platform/node.js';
import { ENDING_SIGNALS, endBySignal, isHeard } from '../../base/process/end-by-signal.js';

/** What a client does on a signal. It may belong to another copy of the package, of another version. */
export interface Signalled {
  /** The program handles the signal itself: from now on the client sends each message without delay. */
  hurry(): void;
  /** True if the client reacts to signals only while it has messages. */
  readonly heedsSignals: boolean;
  /** The program has no listener for the signal: delivers the waiting messages within a limited time. */
  finish(): Promise<unknown>;
}

/** A terminal and npm may both pass on the same Ctrl-C. No one presses it twice within this many milliseconds. */
const ECHO_MS = 100;

/** The listener is removed after this many ms without a message; removing and adding it costs more than ten calls. */
const LINGER_MS = 1_000;

/** A signal ends the process after at most this many milliseconds. Closing all clients takes less. */
const LONGEST_MS = 12_000;

// These are saved when the package is loaded, so that a test that replaces them cannot delay a signal.
const { setTimeout, clearTimeout, setImmediate, performance } = globalThis;
const now = performance.now.bind(performance);

/** Listens for signals while any client has messages to deliver, with one listener for all clients. */
export class ProcessSignals {
  /** The clients with waiting messages. Call `listen` after adding one, unless `isListening` and its package copy is known. */
  readonly clients = new Set<Signalled>();
  isListening = false;
  /** True if a client was added since the last check whether the listener is still needed. */
  isUsed = false;
  /** One function for each copy of the package that has had a client here. It abandons the messages of all clients of its copy. */
  readonly #ends = new Set<() => void>();
  #endingSince: number | undefined;
  /** The process's limit of listeners, if it was set here. */
  #mostListeners: number | undefined;

  /**
   * Adds the listener before it returns, because a signal may arrive while the rest of this turn runs.
   *
   * @param endNow called immediately before the process ends
   */
  listen(endNow: () => void): void {
    this.#ends.add(endNow);
    if (!this.isListening && hasSignals()) inOwnContext(this.#start);
  }

  /** Waits one more turn, because a signal of the last one is not delivered yet and would be lost with its listener. */
  readonly #stopIfIdleSoon = (): void => {
    inOwnContext(setImmediate, this.#stopIfIdle).unref();
  };

  readonly #stopIfIdle = (): void => {
    const isIdle = this.clients.size === 0 && !this.isUsed && this.#endingSince === undefined;
    this.isUsed = false;
    if (isIdle) this.#stop();
    else after(LINGER_MS, this.#stopIfIdleSoon);
  };

  readonly #heed = (signal: NodeJS.Signals): void => {
    if (isHeard(signal, 1)) {
      for (const client of this.clients) client.hurry();
    } else if (this.#endingSince === undefined) {
      void this.#finish(signal);
    } else if (now() - this.#endingSince >= ECHO_MS) {
      this.#endBy(signal);
    }
  };

  async #finish(signal: NodeJS.Signals): Promise<void> {
    this.#endingSince = now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const atTheLatest = new Promise((resolve) => {
      timer = setTimeout(resolve, LONGEST_MS);
    });
    const finished = [...this.clients].map(async (client) => client.finish());
    await Promise.race([atTheLatest, Promise.allSettled(finished)]);
    clearTimeout(timer);
    if (this.#endingSince !== undefined) this.#endBy(signal);
  }

  #endBy(signal: NodeJS.Signals): void {
    // This must come before listening stops: after that, another signal would end the process before any loss is reported.
    if (!isHeard(signal, 1)) for (const endNow of this.#ends) endNow();
    this.#stop();
    this.#endingSince = undefined;
    endBySignal(signal);
  }

  readonly #start = (): void => {
    this.isListening = true;
    after(LINGER_MS, this.#stopIfIdleSoon);
    for (const signal of ENDING_SIGNALS) {
      // Raises the limit by one, so that Node does not warn about one listener too many because of ours.
      const most = process.getMaxListeners();
      if (most > 0 && most !== this.#mostListeners) {
        this.#mostListeners = most + 1;
        process.setMaxListeners(this.#mostListeners);
      }
      // Our listener comes first, because a `once` listener is already removed when it has been called.
      process.prependListener(signal, this.#heed);
    }
  };

  #stop(): void {
    this.isListening = false;
    for (const signal of ENDING_SIGNALS) process.off(signal, this.#heed);
  }
}

/**
 * The copies of the package in one process (ESM, CommonJS, one for each test file) share the instance that the first of them
 * made. Otherwise each would take the other's listener for the program's, and none would end the process.
 */
const SHARED = Symbol.for('eventferry.process-signals');
const place = process as object as { [SHARED]?: ProcessSignals };

export function processSignals(): ProcessSignals {
  place[SHARED] ??= new ProcessSignals();
  return place[SHARED];
}

/** Signals reach only the main thread. */
const hasSignals = (): boolean => process.getBuiltinModule('node:worker_threads')?.isMainThread !== false;

/**
 * Refuses `closeOnSignal` in a worker thread, where it would have no effect.
 *
 * @throws OptionError
 */
export function checkSignals(): void {
  if (hasSignals()) return;
  const hint =
    'Only the main thread gets signals: let it post a message to the worker, and call `close()` when that message arrives';
  throw new OptionError('client', 'closeOnSignal', 'left out in a worker thread', 'true', hint);
}
