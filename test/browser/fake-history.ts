import type {
  AttemptReport,
  DeliveryExplanation,
  DeliveryReport,
  TestResult,
} from '../../src/service/api/delivery-answers.js';
import type {
  DestinationHistory,
  HistoryRange,
  LastHour,
  RejectionReport,
  SourceHistory,
  ViolationReport,
} from '../../src/service/api/history-answers.js';

const [SECOND, MINUTE] = [1_000, 60_000];
const iso = (ms: number): string => new Date(ms).toISOString();

const STEPS: Readonly<Record<HistoryRange, readonly [count: number, stepMs: number]>> = {
  '1h': [60, MINUTE],
  '24h': [96, 15 * MINUTE],
  '7d': [84, 120 * MINUTE],
};

/** Varies between 0.35 and 1, like the traffic of a shop during the day. */
const busy = (index: number): number => 0.35 + 0.65 * Math.abs(Math.sin(index / 11));

/** How long ago a webhook of the first destination began to fail, in ms. */
export const FAILING_MS = 41 * MINUTE;

/** Returns an hour in which that share of attempts failed, all of it since the webhook began to fail. */
export function lastHour(attempts: number, failing: number, [p50Ms, p95Ms]: readonly [number, number]): LastHour {
  const points = [...Array(60).keys()].map((index) => {
    const all = Math.round((attempts / 60) * busy(index));
    const failed = Math.round(all * (index >= 19 ? (failing * 60) / 41 : 0));
    return { delivered: all - failed, failed };
  });
  return { attempts, successRate: attempts === 0 ? null : 1 - failing, p50Ms, p95Ms, points };
}

export const noHour: LastHour = { attempts: 0, successRate: null, p50Ms: null, p95Ms: null, points: [] };

export function history(nowMs: number): Record<string, DestinationHistory> {
  return Object.fromEntries(
    Object.entries(STEPS).map(([range, [count, stepMs]]) => {
      const begin = Math.floor(nowMs / stepMs) * stepMs - (count - 1) * stepMs;
      const points = [...Array(count).keys()].map((index) => {
        const attempts = Math.round((stepMs / SECOND) * 5 * busy(index));
        const failedMs = begin + (index + 1) * stepMs - (nowMs - FAILING_MS);
        const isBad = failedMs > 0;
        const retried = isBad ? Math.round(attempts * 0.49) : 0;
        const dead = isBad ? Math.round(attempts * 0.01) : 0;
        const waiting = isBad ? 14 + Math.round(1_833 * Math.min(1, failedMs / FAILING_MS)) : 14;
        const p50Ms = Math.round(70 + 30 * busy(index + 5));
        const delivered = attempts - retried - dead;
        const at = iso(begin + index * stepMs);
        return { at, delivered, retried, dead, p50Ms, p95Ms: p50Ms * (isBad ? 40 : 4), waiting };
      });
      return [range, { stepMs, points }];
    }),
  );
}

export function sourceHistory(nowMs: number): SourceHistory {
  const begin = Math.floor(nowMs / MINUTE) * MINUTE - 59 * MINUTE;
  const points = [...Array(60).keys()].map((index) => {
    const received = Math.round(300 * busy(index));
    return {
      at: iso(begin + index * MINUTE),
      received,
      rejected: index % 20 === 0 ? 1 : 0,
      blocked: 1,
      forwarded: received,
    };
  });
  return { stepMs: MINUTE, points };
}

export const rejections = (nowMs: number): Record<string, RejectionReport[]> => ({
  shop: [
    {
      code: 'missing_event',
      count: 2,
      lastAt: iso(nowMs - 4 * MINUTE),
      example: {
        reason: 'track.event: expected a non-empty string, got nothing',
        raw: '{"type":"track","userId":"u1","properties":{"total":42}}',
        client: 'analytics-node/6.2.0',
      },
    },
    {
      code: 'invalid_json',
      count: 1,
      lastAt: iso(nowMs - 41 * MINUTE),
      example: { reason: 'Unexpected end of JSON input', raw: '{"batch":[<b>', client: 'curl/8.5.0' },
    },
  ],
});

export const violations = (nowMs: number): Record<string, ViolationReport[]> => ({
  shop: [
    {
      type: 'track',
      event: 'Order Completed',
      path: 'properties.items[].price',
      reason: 'type',
      outcome: 'reported',
      count: 18,
      lastAt: iso(nowMs - 2 * MINUTE),
      example: {
        expected: 'a number',
        received: 'string "19.90"',
        raw: '{"type":"track","event":"Order Completed","properties":{"items":[{"sku":"a","price":"19.90"}]}}',
        client: 'eventferry/1.0.0',
      },
    },
    {
      type: 'track',
      event: 'Ordr Completed <b>',
      path: 'event',
      reason: 'unknown_event',
      outcome: 'blocked',
      count: 3,
      lastAt: iso(nowMs - 52 * MINUTE),
      example: {
        expected: 'an event of the plan',
        received: 'string "Ordr Completed <b>"',
        raw: '{"type":"track","event":"Ordr Completed <b>"}',
        client: '',
      },
    },
    {
      type: 'identify',
      event: null,
      path: 'traits.email',
      reason: 'format',
      outcome: 'reported',
      count: 1,
      lastAt: iso(nowMs - 3 * 60 * MINUTE),
      example: {
        expected: 'a string of the format email',
        received: 'string "none"',
        raw: '{"type":"identify","traits":{"email":"none"}}',
        client: 'analytics-node/6.2.0',
      },
    },
  ],
});

const answer = {
  headers: { 'content-type': 'application/json', 'retry-after': '30' },
  text: '{"error":"too many requests <b>now</b>"}',
  isCut: false,
};
const sent = {
  headers: {
    'content-type': 'application/json',
    'user-agent': 'eventferry/1.0.0',
    'x-message-id': 'order-8000',
    'x-signature': 'sha1=***',
  },
};

const attempt = (nowMs: number, status: number): AttemptReport => ({
  at: iso(nowMs),
  durationMs: 84,
  result: status < 300 ? 'success' : 'throttled',
  status,
  sent,
  answer: status < 300 ? { headers: { 'content-length': '0' }, text: '', isCut: false } : answer,
});

export const tested = (nowMs: number, url: string): TestResult[] => [{ url, attempt: attempt(nowMs, 200) }];

const PEOPLE = ['ada', 'grace', 'alan', 'edsger', 'barbara'];
const EVENTS = ['Order Completed', 'Product Viewed', 'Product Added', undefined];

const ENDS = {
  retrying: { phase: 'retrying', attempts: 3, result: '429' },
  dead: { phase: 'dead', attempts: 1, result: '422' },
  delivered: { phase: 'delivered', attempts: 1, result: '200' },
} as const;

function endOf(index: number): (typeof ENDS)[keyof typeof ENDS] {
  if (index % 9 === 0) return ENDS.retrying;
  return index % 23 === 5 ? ENDS.dead : ENDS.delivered;
}

/** Returns `count` deliveries, some of which failed. */
export function deliveries(nowMs: number, urls: readonly string[], count = 120): DeliveryReport[] {
  return [...Array(count).keys()].map((index) => {
    const at = nowMs - index * 7 * SECOND;
    const event = EVENTS[index % EVENTS.length];
    const to = index % 3 === 0 ? 0 : 1;
    const end = endOf(index);
    return {
      destination: ['CRM', 'Warehouse'][to] ?? '',
      id: `order-${8000 + index}`,
      type: event === undefined ? 'identify' : 'track',
      ...(event !== undefined && { event }),
      userId: `${PEOPLE[index % PEOPLE.length]}-${1000 + index}`,
      source: 'shop',
      // A retried delivery has had three attempts, so it was accepted earlier.
      acceptedAt: iso(at - (end === ENDS.retrying ? 91 : 1) * SECOND),
      webhook: { url: urls[to] ?? '' },
      ...end,
      lastAttemptAt: iso(at),
      durationMs: 40 + ((index * 37) % 120),
      nextAttemptAt: end === ENDS.retrying ? iso(nowMs + 30 * SECOND + index * SECOND) : null,
    };
  });
}

/** Explains the first of those deliveries in full. */
export const explained = (nowMs: number, url: string): DeliveryExplanation => ({
  destination: 'CRM',
  id: 'order-8000',
  type: 'track',
  settle: 'each',
  source: 'shop',
  acceptedAt: iso(nowMs - 91 * SECOND),
  message: {
    type: 'track',
    messageId: 'order-8000',
    userId: 'ada-1000',
    event: 'Order Completed',
    properties: { total: 42 },
  },
  endpoints: [
    {
      url,
      phase: 'retrying',
      why: 'the endpoint asked for fewer requests',
      rule: '429 says to come back later',
      failing: false,
      nextAttemptAt: iso(nowMs + 30 * SECOND),
      triedUntil: iso(nowMs - 90 * SECOND + 240 * MINUTE),
      attempts: [attempt(nowMs - 90 * SECOND, 429), attempt(nowMs - 60 * SECOND, 429), attempt(nowMs, 429)],
    },
  ],
});
