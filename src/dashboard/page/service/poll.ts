import { useEffect, useRef, useState } from 'preact/hooks';
import { problemOf } from './api.js';

interface Poll {
  /** Asks at once. */
  now(): void;
  stop(): void;
}

/** Asks at once and then again and again, one at a time, while the page is in sight. */
function startPoll(everyMs: number, ask: (signal: AbortSignal) => Promise<void>): Poll {
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
    await ask(stopped.signal);
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
    now: () => void run(),
    stop() {
      stopped.abort();
      clearTimeout(timer);
    },
  };
}

/** How often a view asks for what it shows, in ms: a list of everything costs the service, and more so for each open page. */
const VIEW_MS = 5_000;

/** The last answer to each question, to be shown while the next one is awaited. */
const answers = new Map<string, unknown>();

/** What asks each question again at once. */
const polls = new Map<string, Poll>();

/** Asks a question again at once, after what would change its answer. */
export const askAgain = (question: string): void => polls.get(question)?.now();

/** What a view asks for again and again. */
export interface Polled<T> {
  /** Undefined until it is known. */
  readonly value: T | undefined;
  /** Why the last question had no answer; empty when it had one. */
  readonly problem: string;
  /** The first answer is awaited. */
  readonly isBusy: boolean;
}

/**
 * Asks again and again while the page is in sight.
 *
 * @param question tells this question from every other; another one is asked at once, and none when it is empty
 */
export function usePolled<T>(question: string, ask: (signal: AbortSignal) => Promise<T>, everyMs = VIEW_MS): Polled<T> {
  const [answer, setAnswer] = useState({ question: '', problem: '', value: undefined as T | undefined });
  const asking = useRef(ask);
  asking.current = ask;
  useEffect(() => {
    if (question === '') return;
    const poll = startPoll(everyMs, async (signal) => {
      let problem = '';
      try {
        answers.set(question, await asking.current(signal));
      } catch (error) {
        problem = `${problemOf(error)} Trying again.`;
      }
      if (!signal.aborted) setAnswer({ question, problem, value: answers.get(question) as T | undefined });
    });
    polls.set(question, poll);
    return () => {
      poll.stop();
      if (polls.get(question) === poll) polls.delete(question);
    };
  }, [question, everyMs]);
  if (answer.question === question) return { ...answer, isBusy: false };
  // The answer to the question before stays in sight until then.
  const value = (answers.get(question) as T | undefined) ?? answer.value;
  return { value, problem: '', isBusy: question !== '' };
}
