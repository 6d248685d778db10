import { classify, type EndpointAnswer } from '../delivery/attempt-outcome.js';
import { type Attempt, accept, type DeathReason, isUntried, type StoredState } from '../delivery/state.js';

/**
 * A URL, by its name in the store, with the state of its delivery. The form is short because many thousands may be stored. Times
 * are relative to the time of acceptance, in ms. A plain name is an untried URL. Phases: `p` pending, `n` pending as a replay,
 * `r` retrying, `d` delivered, `x` dead.
 */
export type UrlTuple<Name extends string | number> =
  | Name
  | readonly [url: Name, phase: 'p' | 'n', due: number, ...AttemptTuple[]]
  | readonly [url: Name, phase: 'r', due: number, firstAttemptAt: number, attempts: number, ...AttemptTuple[]]
  | readonly [url: Name, phase: 'd', at: number, ...AttemptTuple[]]
  | readonly [url: Name, phase: 'x', at: number, reason: DeathReason, ...AttemptTuple[]];

/**
 * `answer` is a status or an error code, absent if it is that of the attempt before. `rare` contains the fields that few attempts
 * have, or is the text of the answer alone.
 */
type AttemptTuple = readonly [at: number, durationMs: number, answer?: number | string, rare?: Rare | string];

type Rare = Partial<Pick<Attempt, 'result' | 'retryAfterMs' | 'answer'>>;

/** @param place when an untried delivery is due */
export function tupleOf<Name extends string | number>(
  url: Name,
  state: StoredState,
  acceptedAt: number,
  place = acceptedAt,
): UrlTuple<Name> {
  if (isUntried(state, place)) return url;
  const history = state.history.map((attempt, at) => attemptTuple(attempt, state.history[at - 1], acceptedAt));
  if (state.phase === 'pending') return [url, state.isReplay ? 'n' : 'p', state.due - acceptedAt, ...history];
  if (state.phase === 'retrying') {
    return [url, 'r', state.due - acceptedAt, state.firstAttemptAt - acceptedAt, state.attempts, ...history];
  }
  if (state.phase === 'delivered') return [url, 'd', state.at - acceptedAt, ...history];
  return [url, 'x', state.at - acceptedAt, state.reason, ...history];
}

export function stateIn<Name extends string | number>(
  tuple: UrlTuple<Name>,
  acceptedAt: number,
): [url: Name, state: StoredState] {
  if (typeof tuple !== 'object') return [tuple, accept(acceptedAt)];
  const past = (history: readonly AttemptTuple[]) => ({ history: attemptsIn(history, acceptedAt) });
  if (tuple[1] === 'r') {
    const [url, , due, first, attempts, ...history] = tuple;
    const times = { due: acceptedAt + due, firstAttemptAt: acceptedAt + first };
    return [url, { phase: 'retrying', ...times, attempts, ...past(history) }];
  }
  if (tuple[1] === 'x') {
    const [url, , at, reason, ...history] = tuple;
    return [url, { phase: 'dead', at: acceptedAt + at, reason, ...past(history) }];
  }
  const [url, phase, at, ...history] = tuple;
  const time = acceptedAt + at;
  if (phase === 'd') return [url, { phase: 'delivered', at: time, ...past(history) }];
  return [url, { phase: 'pending', due: time, ...(phase === 'n' && { isReplay: true }), ...past(history) }];
}

function attemptTuple(attempt: Attempt, before: Attempt | undefined, acceptedAt: number): AttemptTuple {
  const { at, durationMs, result, retryAfterMs, answer: text } = attempt;
  const answer = answerIn(attempt);
  const rare: Rare = {
    ...(result !== classify(answerOf(answer)) && { result }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  if (Object.keys(rare).length > 0)
    return [at - acceptedAt, durationMs, answer, text === undefined ? rare : { ...rare, answer: text }];
  if (text !== undefined) return [at - acceptedAt, durationMs, answer, text];
  const isSame = before !== undefined && answerIn(before) === answer;
  return isSame ? [at - acceptedAt, durationMs] : [at - acceptedAt, durationMs, answer];
}

function attemptsIn(tuples: readonly AttemptTuple[], acceptedAt: number): Attempt[] {
  let last: number | string = '';
  return tuples.map(([at, durationMs, answered = last, rare]) => {
    last = answered;
    const known = typeof answered === 'number' ? { status: answered } : answered === '' ? {} : { code: answered };
    const more = typeof rare === 'string' ? { answer: rare } : rare;
    return { at: acceptedAt + at, durationMs, result: classify(answerOf(answered)), ...known, ...more };
  });
}

const answerIn = ({ status, code = '' }: Attempt): number | string => status ?? code;

const answerOf = (answered: number | string): EndpointAnswer =>
  typeof answered === 'number' ? { status: answered } : { code: answered };
