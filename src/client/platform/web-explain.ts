/** The explanations of failures for a client without Node. */
import type { AttemptError, ConnectionError } from '../../base/errors/errors.js';
import { explainFirstFailure, type FailureExplanation, type FirstFailure } from '../transport/advice.js';

export { adviceOn } from '../transport/advice.js';
export { rejectionsOf } from '../transport/refusal-list.js';

export const explainFirst = (error: AttemptError, options: FirstFailure): string =>
  explainFirstFailure(error, options, explainConnection);

/** `fetch` reports the same error for every failure. */
export const explainConnection = ({ causeCode }: Pick<ConnectionError, 'causeCode'>): FailureExplanation =>
  causeCode === 'REQUEST_TIMEOUT'
    ? { what: 'it took longer than `requestTimeout`', advice: 'Check `endpoint`, and whether the collector runs' }
    : {
        what: 'the request failed',
        advice: 'Check `endpoint`, whether the collector runs, and whether it allows this page (CORS)',
      };
