export interface PollOptions {
  readonly everyMs: number;
  /** Rejects when it did not work, which is told to `onProblem`; the next time comes all the same. */
  ask(signal: AbortSignal): Promise<void>;
  onDone?(): void;
  onProblem?(error: unknown): void;
}

export interface Poll {
  stop(): void;
}

/** Asks at once and then again and again, one at a time, while the page is in sight. */
export function startPoll({ everyMs, ask, onDone, onProblem }: PollOptions): Poll {
  const stopped = new AbortController();
  let timer = 0;
  let [isAsking, isAskedAgain] = [false, false];
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    if (isAsking) {
      isAskedAgain = true;
      return;
    }
    isAsking = true;
    isAskedAgain = false;
    try {
      await ask(stopped.signal);
      if (!stopped.signal.aborted) onDone?.();
    } catch (error) {
      if (!stopped.signal.aborted) onProblem?.(error);
    }
    isAsking = false;
    wait();
  };
  const wait = (): void => {
    if (stopped.signal.aborted || document.hidden) return;
    timer = setTimeout(() => void run(), isAskedAgain ? 0 : everyMs);
  };
  const onVisible = (): void => {
    if (document.hidden) clearTimeout(timer);
    else void run();
  };
  document.addEventListener('visibilitychange', onVisible, { signal: stopped.signal });
  void run();
  return {
    stop() {
      stopped.abort();
      clearTimeout(timer);
    },
  };
}
