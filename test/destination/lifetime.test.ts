import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RULES } from '../../src/delivery/attempt-outcome.js';
import { advance, type EventEnd, newEvent, type StoredEvent } from '../../src/delivery/completion-rule.js';
import { RETRY_DELAYS_MS } from '../../src/delivery/schedule.js';
import { type Attempt, finish, isExpired, isWaiting, type Waiting } from '../../src/delivery/state.js';

const WINDOW_MS = 14_400_000;

/** One request: its result, its duration, and whether the process dies while it runs. */
const request = fc.record({
  result: fc.constantFrom(
    ...(Object.keys(RULES) as Attempt['result'][]),
    'server-error',
    'network',
    'timeout',
    'throttled',
  ),
  durationMs: fc.nat(5_000),
  retryAfterMs: fc.option(fc.nat(WINDOW_MS / 2), { nil: undefined, freq: 5 }),
  isKilled: fc.boolean(),
  /** How late the request starts, for example because other requests delay it. */
  lateMs: fc.oneof(fc.constant(0), fc.nat(60_000), fc.nat(WINDOW_MS)),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});

type Request = typeof request extends fc.Arbitrary<infer R> ? R : never;

interface Made {
  readonly url: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attempt: Attempt;
  readonly isKnown: boolean;
}

/** Simulates one event: the earliest due delivery is next, and each request goes as the script says. */
function live(rule: 'any' | 'each', urls: readonly string[], script: readonly Request[]) {
  let event: StoredEvent | undefined = newEvent('e1', 'track', urls, 0);
  let now = 0;
  const made: Made[] = [];
  const endings: EventEnd[] = [];
  let kills = 0;

  for (let turn = 0; event !== undefined; turn++) {
    const next = earliest(event);
    if (next === undefined) break;
    const { url, state } = next;
    const { result, durationMs, retryAfterMs, isKilled, lateMs, random } = script[turn % script.length] as Request;
    now = Math.max(now, state.due) + lateMs;
    if (state.phase === 'retrying' && isExpired(state, now, WINDOW_MS)) {
      event = end(event, url, { phase: 'dead', at: now, reason: 'window-over', history: state.history });
      continue;
    }
    const attempt: Attempt = { at: now, durationMs, result, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    const startedAt = now;
    now += durationMs;
    const isLost = isKilled && kills++ < 3;
    made.push({ url, startedAt, endedAt: now, attempt, isKnown: !isLost });
    // After a kill, the store still has the state from before the request.
    if (!isLost) event = end(event, url, finish(state, { attempt, now, windowMs: WINDOW_MS, random }));
  }
  return { event, made, endings };

  function end(before: StoredEvent, url: string, state: Parameters<typeof advance>[2]): StoredEvent | undefined {
    const step = advance(before, url, state, rule);
    if (step.ending !== undefined) endings.push(step.ending);
    return step.event;
  }
}

function earliest(event: StoredEvent): { url: string; state: Waiting } | undefined {
  const waiting = Object.entries(event.urls).flatMap(([url, state]) => (isWaiting(state) ? [{ url, state }] : []));
  return waiting.toSorted((a, b) => a.state.due - b.state.due)[0];
}

const life = fc.record({
  rule: fc.constantFrom('any' as const, 'each' as const),
  urls: fc.integer({ min: 1, max: 5 }).map((count) => ['a', 'b', 'c', 'd', 'e'].slice(0, count)),
  script: fc.array(request, { minLength: 1, maxLength: 60 }),
});

const holds = (check: (life: ReturnType<typeof live>, rule: 'any' | 'each', urls: readonly string[]) => void) =>
  fc.assert(
    fc.property(life, ({ rule, urls, script }) => check(live(rule, urls, script), rule, urls)),
    { numRuns: 500 },
  );

const known = ({ made }: { made: readonly Made[] }, url: string): Made[] =>
  made.filter((request) => request.url === url && request.isKnown);

test('every event has one ending, or one for each URL with the rule `each`', () => {
  holds(({ endings, event }, rule, urls) => {
    if (rule === 'any') expect(endings).toHaveLength(1);
    else expect(endings.flatMap((ending) => ending.urls).toSorted()).toEqual(urls);
    const isDead = endings.some(({ as }) => as === 'dead');
    expect(event?.isDead ?? false).toBe(isDead);
  });
});

test('an event counts as delivered exactly where an endpoint accepted it', () => {
  holds((lived, rule, urls) => {
    const took = urls.filter((url) => known(lived, url).some(({ attempt }) => attempt.result === 'success'));
    const delivered = lived.endings.filter(({ as }) => as === 'delivered').flatMap((ending) => ending.urls);
    if (rule === 'each') expect(delivered.toSorted()).toEqual(took);
    else expect(delivered.length).toBe(Math.min(1, took.length));
  });
});

test('every URL is tried at least once and, not counting kills, at most ten times', () => {
  holds((lived, _, urls) => {
    for (const url of urls) {
      expect(lived.made.some((request) => request.url === url)).toBe(true);
      expect(known(lived, url).length).toBeLessThanOrEqual(10);
    }
  });
});

test('no request starts later than four hours after the first recorded one', () => {
  holds((lived, _, urls) => {
    for (const url of urls) {
      const [first, ...later] = known(lived, url);
      for (const { startedAt } of later) expect(startedAt - (first?.startedAt ?? 0)).toBeLessThanOrEqual(WINDOW_MS);
    }
  });
});

test('the time between two requests is at least four fifths of the scheduled delay, and at least what the endpoint asked for', () => {
  holds((lived, _, urls) => {
    for (const url of urls) {
      const requests = known(lived, url);
      for (const [index, { attempt, endedAt }] of requests.entries()) {
        const next = requests[index + 1];
        if (next === undefined) continue;
        const least = Math.max((RETRY_DELAYS_MS[index] ?? Number.NaN) * 0.8, attempt.retryAfterMs ?? 0);
        expect(next.startedAt - endedAt).toBeGreaterThanOrEqual(Math.floor(least));
      }
    }
  });
});

test('nothing is retried after a final answer or, with the rule any, after any URL has accepted the event', () => {
  holds((lived, rule, urls) => {
    for (const url of urls) {
      const verdicts = known(lived, url).map(({ attempt }) => RULES[attempt.result].verdict);
      expect(verdicts.slice(0, -1).every((verdict) => verdict === 'retry')).toBe(true);
    }
    if (rule === 'each') return;
    const settledAt = lived.made.find(({ attempt, isKnown }) => isKnown && attempt.result === 'success')?.endedAt;
    for (const url of urls) {
      const [, ...again] = known(lived, url);
      for (const { startedAt } of again) expect(startedAt).toBeLessThanOrEqual(settledAt ?? Number.POSITIVE_INFINITY);
    }
  });
});
