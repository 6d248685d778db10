import { classify, type EndpointAnswer, type ResultClass, RULES } from './attempt-outcome.js';
import { nextAttempt } from './schedule.js';

/** One request to one URL, and its result. */
export interface Attempt {
  /** When the attempt began, in ms since 1970. */
  readonly at: number;
  readonly durationMs: number;
  readonly result: ResultClass;
  /** The HTTP status, when an answer came. */
  readonly status?: number;
  /** The reason why no answer came, as Node names it: `ECONNREFUSED`, `DEPTH_ZERO_SELF_SIGNED_CERT`; `TIMEOUT` is ours. */
  readonly code?: string;
  /** The pause that the endpoint asked for with Retry-After. */
  readonly retryAfterMs?: number;
  /** The beginning of the response's body; only for the last attempt, and only if it failed. */
  readonly answer?: string;
}

/** Returns how an attempt ended: the status, or Node's name of the error. */
export const resultOf = ({ status, code, result }: Attempt): string => String(status ?? code ?? result);

export const DEATH_REASONS = ['permanent', 'retries-used', 'window-over', 'backlog-full'] as const;

/** The reason why the delivery to one URL ended without success. */
export type DeathReason = (typeof DEATH_REASONS)[number];

interface Past {
  /** The latest attempts, oldest first, including those before a replay. */
  readonly history: readonly Attempt[];
}

/** Waiting for the first attempt. */
export interface Pending extends Past {
  readonly phase: 'pending';
  /** The place in line: when it was accepted, in ms since 1970, with a fraction that orders events of one millisecond. */
  readonly due: number;
  /** True if the delivery was dead and started again. */
  readonly isReplay?: true;
}

/** At least one attempt failed and another one is due. */
export interface Retrying extends Past {
  readonly phase: 'retrying';
  readonly due: number;
  readonly firstAttemptAt: number;
  readonly attempts: number;
}

export interface Delivered extends Past {
  readonly phase: 'delivered';
  readonly at: number;
}

export interface Dead extends Past {
  readonly phase: 'dead';
  readonly at: number;
  readonly reason: DeathReason;
}

/** The state of the delivery of one event to one URL. An attempt leaves it unchanged until it ends, in case the process dies. */
export type StoredState = Pending | Retrying | Delivered | Dead;

export type Waiting = Pending | Retrying;

const LONGEST_HISTORY = 20;

export const isWaiting = (state: StoredState): state is Waiting =>
  state.phase === 'pending' || state.phase === 'retrying';

export const accept = (place: number): Pending => ({ phase: 'pending', due: place, history: [] });

export interface Ended {
  readonly attempt: Attempt;
  /** When the attempt ended, in ms since 1970. */
  readonly now: number;
  readonly windowMs: number;
  /** A random number in [0, 1). */
  readonly random: number;
}

/** Returns the state after an attempt. */
export function finish(state: Waiting, { attempt, now, windowMs, random }: Ended): StoredState {
  const history = [...state.history.map(withoutAnswer), attempt].slice(-LONGEST_HISTORY);
  const { verdict } = RULES[attempt.result];
  if (verdict === 'delivered') return { phase: 'delivered', at: now, history };
  if (verdict === 'dead') return { phase: 'dead', at: now, reason: 'permanent', history };
  const before = state.phase === 'pending' ? { firstAttemptAt: attempt.at, attempts: 0 } : state;
  // If the clock was set back, the window must not become longer.
  const firstAttemptAt = Math.min(before.firstAttemptAt, attempt.at);
  const attempts = before.attempts + 1;
  const next = nextAttempt({ attempts, now, firstAttemptAt, windowMs, retryAfterMs: attempt.retryAfterMs, random });
  if ('over' in next) return { phase: 'dead', at: now, reason: next.over, history };
  return { phase: 'retrying', due: next.due, firstAttemptAt, attempts, history };
}

/** Keeps only the latest response text of an endpoint, because such texts are long. */
function withoutAnswer(attempt: Attempt): Attempt {
  if (attempt.answer === undefined) return attempt;
  const { answer: _, ...rest } = attempt;
  return rest;
}

/** Returns the record of an attempt. */
export const attemptOf = (
  at: number,
  now: number,
  answer: EndpointAnswer,
  retryAfterMs: number | undefined,
): Attempt => ({
  at,
  durationMs: now - at,
  result: classify(answer),
  ...('status' in answer ? { status: answer.status } : { code: answer.code }),
  ...(retryAfterMs !== undefined && { retryAfterMs }),
  ...('status' in answer && answer.text !== undefined && { answer: answer.text }),
});

/**
 * Returns true if the window of a waiting delivery has ended. An untried delivery has the window that it would have had if its
 * first attempt had been made when it was due. A replay never expires before its first attempt, because someone asked for it.
 */
export function isExpired(state: Waiting, now: number, windowMs: number): boolean {
  if (state.phase === 'pending') return state.isReplay === undefined && now > state.due + windowMs;
  return now > state.firstAttemptAt + windowMs;
}

export const expire = (state: Waiting, now: number, reason: DeathReason = 'window-over'): Dead => ({
  phase: 'dead',
  at: now,
  reason,
  history: state.history,
});

/** Ends a delivery that would wait for longer than it may. */
export const endTooOld = (state: StoredState, now: number, mostAgeMs: number): StoredState =>
  state.phase === 'retrying' && state.due > state.firstAttemptAt + mostAgeMs
    ? expire(state, now, 'backlog-full')
    : state;

/** Starts a dead or waiting delivery again with the given place in line. Its window starts with its next attempt. */
export const replay = (state: StoredState, place: number): Pending => ({
  phase: 'pending',
  due: place,
  isReplay: true,
  history: state.history,
});

/** Returns true if nothing has happened to the delivery since it was accepted with this place in line. */
export const isUntried = (state: StoredState, place: number): boolean =>
  state.phase === 'pending' && state.due === place && !state.isReplay && state.history.length === 0;
