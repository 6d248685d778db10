import { OptionError } from '../../base/errors/errors.js';
import { after, inOwnContext } from '../../base/platform/node.js';
import { ENDING_SIGNALS, endBySignal, isHeard } from '../../base/process/end-by-signal.js';

/** The part of a client that acts on a signal. Another copy of the package, of another version, may have made it. */
export interface Signalled {
  /** The program ends by itself: from now on the client sends each message without delay. */
  hurry(): void;
  /** True if it acts on signals only while it has messages. */
  readonly heedsSignals: boolean;
  /** Nobody else has listened for the signal: delivers what waits, in limited time. */
  finish(): Promise<unknown>;
  /** The process ends now. Acts for all clients of its copy of the package, for which it is the same function. */
  readonly endNow: () => void;
}

/** A terminal and npm may each pass on the same Ctrl-C. Nobody presses it twice within this time. */
const ECHO_MS = 100;

/** The listener is removed after this time without a message: removing and adding it again costs more than ten calls. */
const LINGER_MS = 1_000;

/** A signal ends the process after this time at the latest. Closing all clients takes less. */
const LONGEST_MS = 12_000;

// Taken when the package is loaded, so that a test which replaces them cannot hold up a signal.
const { setTimeout, clearTimeout, setImmediate, performance } = globalThis;
const now = performance.now.bind(performance);

/** Listens for signals while there are clients to deliver for, with one listener for all. */
export class ProcessSignals {
  /** The clients whose messages wait. Call `listen` when you add one while nobody listens, or the first one of a copy of the package. */
  readonly clients = new Set<Signalled>();
  isListening = false;
  /** A client was added since the last look at whether any needs a listener. */
  isUsed = false;
  /** The `endNow` of each copy of the package that has had a client here. */
  readonly #ends = new Set<() => void>();
  #endingSince: number | undefined;
  /** The process's limit of listeners, as this has set it. */
  #mostListeners: number | undefined;

  /** Adds the listener before it returns: a signal may come while the rest of this turn runs. */
  listen(client: Signalled): void {
    this.#ends.add(client.endNow);
    if (!this.isListening && hasSignals()) inOwnContext(this.#start);
  }

  /** A signal of the turn that just ended has not been told yet. To remove its last listener now would swallow it. */
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
    // Before it stops listening: a further signal would end the process before a word was said.
    if (!isHeard(signal, 1)) for (const endNow of this.#ends) endNow();
    this.#stop();
    this.#endingSince = undefined;
    endBySignal(signal);
  }

  readonly #start = (): void => {
    this.isListening = true;
    after(LINGER_MS, this.#stopIfIdleSoon);
    for (const signal of ENDING_SIGNALS) {
      // Raises the limit by one, so that Node does not warn the program of one listener too many, which is ours.
      const most = process.getMaxListeners();
      if (most > 0 && most !== this.#mostListeners) {
        this.#mostListeners = most + 1;
        process.setMaxListeners(this.#mostListeners);
      }
      // Ours comes first, because a `once` listener is gone after it was called.
      process.prependListener(signal, this.#heed);
    }
  };

  #stop(): void {
    this.isListening = false;
    for (const signal of ENDING_SIGNALS) process.off(signal, this.#heed);
  }
}

/**
 * The copies of the package in one process (ESM, CommonJS, one for each file of tests) share the one that the first of them has made.
 * Two would each take the other for a listener of the program, and nobody would end the process.
 */
const SHARED = Symbol.for('eventferry.process-signals');
const place = process as object as { [SHARED]?: ProcessSignals };

export function processSignals(): ProcessSignals {
  place[SHARED] ??= new ProcessSignals();
  return place[SHARED];
}

/** Signals reach the main thread alone. */
const hasSignals = (): boolean => process.getBuiltinModule('node:worker_threads')?.isMainThread !== false;

/**
 * In a worker thread the option would do nothing.
 *
 * @throws OptionError
 */
export function checkSignals(): void {
  if (hasSignals()) return;
  const hint =
    'Signals reach the main thread alone: let it post a message to the worker, and call `close()` when that message comes';
  throw new OptionError('client', 'closeOnSignal', 'left out in a worker thread', 'true', hint);
}
