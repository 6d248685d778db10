import { abortSignal, checkOptions, type Rules, timeLimit } from '../../base/options/check-options.js';
import type { ImportSignal } from '../import/import-options.js';
import { exampleOf } from '../platform/node.js';

const RULES = {
  close: { timeout: timeLimit },
  flush: { timeout: timeLimit, signal: abortSignal },
  ready: { signal: abortSignal },
};

/** @throws OptionError */
export function checkWait(method: keyof typeof RULES, options: unknown): void {
  const rules: Rules<object> = RULES[method];
  const [option = ''] = Object.keys(rules);
  checkOptions(options, rules, { door: 'client', example: exampleOf(method, option, options) });
}

/** Settles like `work`, or rejects with the reason of `signal` once that is aborted. */
export function untilAborted<T>(signal: ImportSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
