import { useEffect, useRef, useState } from 'preact/hooks';
import type { Route } from '../../../service/api/openapi-types.js';
import { type AnswerOf, type ApiRequestFields, ended, get, pathOf, problemOf } from './api.js';

/** The default polling interval of a view, in ms. A shorter one would cost the service more for each open page. */
const VIEW_MS = 5_000;

/** The last answer to each question, which is shown until the next one arrives. */
const answers = new Map<string, unknown>();

/**
 * Asks at once, after each change, and then repeatedly, one request at a time, while the page is visible, until the returned
 * function is called.
 */
function startPoll(everyMs: number, ask: (signal: AbortSignal) => Promise<void>): () => void {
  const stopped = new AbortController();
  let timer = 0;
  let [isAsking, isAskedAgain] = [false, false];
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    isAskedAgain = isAsking;
    if (isAsking) return;
    isAsking = true;
    await ask(stopped.signal);
    isAsking = false;
    if (!stopped.signal.aborted && !document.hidden) timer = setTimeout(now, isAskedAgain ? 0 : everyMs);
  };
  const now = (): void => void run();
  const onVisible = (): void => (document.hidden ? clearTimeout(timer) : now());
  document.addEventListener('visibilitychange', onVisible, { signal: stopped.signal });
  const unsubscribe = ended.subscribe(now);
  return () => {
    unsubscribe();
    stopped.abort();
    clearTimeout(timer);
  };
}

export interface Polled<T> {
  /** The last answer; undefined until there is one. */
  readonly value: T | undefined;
  /** Why the last request failed; empty if it succeeded. */
  readonly problem: string;
  /** True until the first answer arrives. */
  readonly isBusy: boolean;
}

/**
 * Asks repeatedly while the page is visible.
 *
 * @param question identifies the question. A new question is asked at once; an empty one is not asked.
 */
export function usePolled<T>(question: string, ask: (signal: AbortSignal) => Promise<T>, everyMs = VIEW_MS): Polled<T> {
  const [answer, setAnswer] = useState({ question: '', problem: '', value: undefined as T | undefined });
  const asking = useRef(ask);
  asking.current = ask;
  useEffect(() => {
    if (question === '') return;
    return startPoll(everyMs, async (signal) => {
      let problem = '';
      try {
        answers.set(question, await asking.current(signal));
      } catch (error) {
        problem = `${problemOf(error)} Trying again.`;
      }
      if (!signal.aborted) setAnswer({ question, problem, value: answers.get(question) as T | undefined });
    });
  }, [question, everyMs]);
  if (answer.question === question) return { ...answer, isBusy: false };
  // The answer to the previous question stays visible until then.
  const value = (answers.get(question) as T | undefined) ?? answer.value;
  return { value, problem: '', isBusy: question !== '' };
}

/** Reads an answer of the API repeatedly. Without fields it reads nothing. */
export const useAnswer = <R extends Route>(
  route: R,
  fields: ApiRequestFields | undefined,
  everyMs?: number,
): Polled<AnswerOf<R>> =>
  usePolled(fields === undefined ? '' : pathOf(route, fields), (signal) => get(route, fields, signal), everyMs);
