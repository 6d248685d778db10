import type {
  ChangeReport,
  DestinationReport,
  HourCount,
  SourceReport,
  Status,
} from '../../src/service/api/answer-types.js';
import type { AudienceReport, TraitReport } from '../../src/service/api/audience-answers.js';
import type { DeletionReport } from '../../src/service/api/deletion-answers.js';
import type {
  DeliveryExplanation,
  DeliveryJob,
  DeliveryReport,
  TestResult,
} from '../../src/service/api/delivery-answers.js';
import type {
  DeliveryErrorReport,
  DestinationHistory,
  RejectionReport,
  SourceHistory,
  ViolationReport,
} from '../../src/service/api/history-answers.js';
import {
  deliveries,
  explained,
  history,
  lastHour,
  noHour,
  rejections,
  sourceHistory,
  tested,
  violations,
} from './fake-history.js';

type Changeable<T> = { -readonly [K in keyof T]: T[K] };

/** The data of a fake service. */
export interface Holdings {
  /** True if an admin token is configured. */
  enabled: boolean;
  /** True if the token may only read. */
  readOnly: boolean;
  status: Status;
  sources: SourceReport[];
  /** By source. */
  counts: Record<string, HourCount[]>;
  destinations: Changeable<DestinationReport>[];
  audiences: AudienceReport[];
  traits: TraitReport[];
  deletions: DeletionReport[];
  changes: ChangeReport[];
  /** The dead letters, in the order of acceptance. */
  letters: DeliveryReport[];
  /** True if a count of the dead letters is incomplete. */
  hasMoreLetters: boolean;
  /** The jobs by id. If there is one, a replay or discard returns it. */
  jobs: Record<string, DeliveryJob[]>;
  /** The explanations by message id. */
  explanations: Record<string, DeliveryExplanation[]>;
  /** By range. */
  errors: readonly DeliveryErrorReport[];
  history: Record<string, DestinationHistory>;
  sourceHistory: SourceHistory;
  /** By source. */
  rejections: Record<string, RejectionReport[]>;
  /** By source. */
  violations: Record<string, ViolationReport[]>;
  /** Deliveries, the last attempt first. */
  deliveries: DeliveryReport[];
  /** The answers of the webhooks to a test event. */
  tested: TestResult[];
}

const [MINUTE, HOUR] = [60_000, 3_600_000];
const iso = (ms: number): string => new Date(ms).toISOString();

export const CRM = 'https://crm.example.com/hooks/events';
export const WAREHOUSE = 'https://ingest.warehouse.example/eventferry';
export const BACKUP = 'https://backup.example.net/in';

/** Returns the data of a busy shop at that time. */
export function holdings(nowMs: number): Holdings {
  const letters = [...Array(120).keys()]
    .map((index) => letter(index, nowMs))
    .sort((one, other) => one.acceptedAt.localeCompare(other.acceptedAt));
  return {
    enabled: true,
    readOnly: false,
    status: status(nowMs),
    sources: [
      source('shop', ['CRM', 'Warehouse'], [18_204, 18_121, 62, 3]),
      source('mobile app', ['Warehouse'], [4_310, 4_310, 0, 0]),
      source('backoffice', [], [12, 0, 0, 0]),
    ],
    counts: { shop: counts(nowMs), 'mobile app': [], backoffice: [] },
    destinations: destinations(nowMs, letters.length),
    audiences: audiences(nowMs),
    traits: traits(nowMs),
    deletions: deletions(nowMs),
    changes: changes(nowMs),
    letters,
    hasMoreLetters: false,
    jobs: {},
    explanations: {
      ...Object.fromEntries(letters.map((each) => [each.id, explanations(each, nowMs)])),
      'order-8000': [explained(nowMs, CRM)],
    },
    errors: [
      {
        webhook: { id: 'main', url: 'https://crm.example.com/hooks/events' },
        ...{ result: '500', count: 1_204, firstAt: iso(nowMs - 41 * 60_000), lastAt: iso(nowMs - 60_000) },
        example: { id: 'order-1812', source: 'Website' },
      },
      {
        webhook: { url: 'https://backup.example.net/in' },
        ...{ result: 'ECONNREFUSED', count: 3, firstAt: iso(nowMs - 50 * 60_000), lastAt: iso(nowMs - 45 * 60_000) },
        example: { id: 'order-1790', source: null },
      },
    ],
    history: history(nowMs),
    sourceHistory: sourceHistory(nowMs),
    violations: violations(nowMs),
    rejections: rejections(nowMs),
    deliveries: deliveries(nowMs, [CRM, WAREHOUSE]),
    tested: tested(nowMs, CRM),
  };
}

/** Makes a running replay. */
export const runningJob = (fields: Partial<DeliveryJob> = {}): DeliveryJob => ({
  ...{ id: 'job1', act: 'replay', destination: null, filter: {}, status: 'running', deliveries: 20_000, meant: 90_000 },
  ...{ skipped: { 'webhook-removed': 0, 'sent-already': 0 }, rate: 100, endedAt: null, error: null },
  startedAt: new Date().toISOString(),
  ...fields,
});

const status = (nowMs: number): Status => ({
  readiness: { ready: true },
  version: '1.0.0',
  startedAt: iso(nowMs - 76 * HOUR - 12 * MINUTE),
  process: 4711,
  config: { loadedAt: iso(nowMs - 2 * HOUR) },
  store: { type: 'lmdb', bytes: 1_240_000_000, emptiedAt: null },
  eventLoopDelayMs: { p50: 0.4, p99: 3.2, max: 18 },
});

function source(
  name: string,
  to: string[],
  [received = 0, forwarded = 0, blocked = 0, rejected = 0]: number[],
): SourceReport {
  const trackSchema = { allowed: null, blocked: name === 'shop' ? ['Debug Ping', 'Mouse Moved'] : [] };
  const trackingPlan =
    name === 'shop'
      ? { events: 42, onViolation: 'report' as const, onUnknownEvent: 'block' as const, violations: { type: 18 } }
      : null;
  return { name, destinations: to, trackSchema, trackingPlan, lastHour: { received, forwarded, blocked, rejected } };
}

function counts(nowMs: number): HourCount[] {
  const events = [
    ['Product Viewed', 'track', 4_100, 0],
    ['Product Added', 'track', 820, 0],
    ['Order Completed', 'track', 190, 0],
    ['Debug Ping', 'track', 60, 60],
    [null, 'page', 6_300, 0],
    [null, 'identify', 410, 0],
  ] as const;
  return [...Array(24).keys()].flatMap((ago) => {
    const hour = iso(nowMs - ago * HOUR).slice(0, 13);
    const busy = 0.35 + 0.65 * Math.abs(Math.sin((23 - ago) / 5));
    return events.map(([event, type, most, blocked]) => {
      const received = Math.round(most * busy);
      return { hour, event, type, received, blocked: Math.min(blocked, received) };
    });
  });
}

const counters = (delivered: number, dead: number, attempts: number): DestinationReport['counters'] => ({
  accepted: delivered + dead,
  discarded: 0,
  skipped: 0,
  duplicates: 0,
  attempts,
  results: {
    success: delivered,
    throttled: 0,
    'server-error': attempts - delivered - dead,
    timeout: 0,
    network: 0,
    tls: 0,
    'address-refused': 0,
    removed: 0,
    redirect: 0,
    rejected: dead,
    unexpected: 0,
  },
  delivered,
  dead,
  erased: 0,
  backlogFull: 0,
  dropped: { age: 0, count: 0, bytes: 0 },
  replayed: 0,
});

function destinations(nowMs: number, deadLetters: number): Changeable<DestinationReport>[] {
  const endpoint = {
    state: 'closed',
    openUntil: null,
    failing: false,
    failingSince: null,
    lastFailures: null,
    inFlight: 0,
    waiting: 0,
    oldestDue: null,
  } as const;
  return [
    {
      name: 'CRM',
      state: 'failing',
      type: 'Webhooks',
      enabled: true,
      configuredEnabled: true,
      paused: false,
      pausedBy: null,
      switchedBy: null,
      sources: ['shop'],
      settle: 'each',
      signed: true,
      endpoints: [
        { ...endpoint, url: CRM, inFlight: 6, waiting: 14, oldestDue: iso(nowMs - 400) },
        {
          ...endpoint,
          url: BACKUP,
          state: 'open',
          failing: true,
          failingSince: iso(nowMs - 41 * MINUTE),
          lastFailures: { inARow: 36, at: iso(nowMs - MINUTE), result: '500' },
          openUntil: iso(nowMs + 45_000),
          waiting: 1_833,
          oldestDue: iso(nowMs - 41 * MINUTE),
        },
      ],
      waiting: 1_847,
      oldestWaitingAt: iso(nowMs - 41 * MINUTE),
      firstDeathAt: iso(nowMs + 199 * MINUTE),
      doneAt: null,
      lastHour: lastHour(18_240, 0.34, [88, 3_400]),
      deadLetters,
      counters: counters(1_204_331, 131, 1_209_870),
    },
    {
      name: 'Warehouse',
      state: 'recovering',
      type: 'Webhooks',
      enabled: true,
      configuredEnabled: true,
      paused: false,
      pausedBy: null,
      switchedBy: null,
      sources: ['shop', 'mobile app'],
      settle: 'any',
      signed: true,
      endpoints: [
        {
          ...endpoint,
          url: WAREHOUSE,
          state: 'half-open',
          failingSince: iso(nowMs - 31 * MINUTE),
          lastFailures: { inARow: 12, at: iso(nowMs - MINUTE), result: 'CERT_HAS_EXPIRED' },
          inFlight: 1,
          waiting: 210,
          oldestDue: iso(nowMs - 2 * MINUTE),
        },
      ],
      waiting: 210,
      oldestWaitingAt: iso(nowMs - 2 * MINUTE),
      firstDeathAt: iso(nowMs + 238 * MINUTE),
      doneAt: iso(nowMs + 12 * MINUTE + 1_000),
      lastHour: lastHour(22_430, 0.004, [41, 190]),
      deadLetters: 0,
      counters: counters(1_610_002, 0, 1_610_400),
    },
    {
      name: 'Experiments',
      state: 'off',
      type: 'Webhooks',
      enabled: false,
      configuredEnabled: false,
      paused: false,
      pausedBy: null,
      switchedBy: null,
      sources: [],
      settle: 'any',
      signed: false,
      endpoints: [{ ...endpoint, url: 'http://10.0.4.7:8080/events' }],
      waiting: 0,
      oldestWaitingAt: null,
      firstDeathAt: null,
      doneAt: null,
      lastHour: noHour,
      deadLetters: 0,
      counters: counters(0, 0, 0),
    },
  ];
}

const audiences = (nowMs: number): AudienceReport[] => [
  {
    name: 'High Value Users',
    trait: 'high_value_users',
    members: 48_210,
    createdAt: iso(nowMs - 400 * HOUR),
    syncedAt: iso(nowMs - 26 * HOUR),
    sync: { phase: 'applying', received: 49_000, applied: 31_500 },
  },
  {
    name: 'Newsletter',
    trait: 'newsletter',
    members: 612_004,
    createdAt: iso(nowMs - 90 * HOUR),
    syncedAt: iso(nowMs - 40 * MINUTE),
  },
  {
    name: 'Win-back, autumn',
    trait: 'win_back_autumn',
    members: 0,
    createdAt: iso(nowMs - MINUTE),
    syncedAt: null,
    sync: { phase: 'receiving', received: 12_000, applied: 0 },
  },
];

const traits = (nowMs: number): TraitReport[] => [
  {
    name: 'Lifetime Value',
    trait: 'lifetime_value',
    users: 612_004,
    createdAt: iso(nowMs - 90 * HOUR),
    syncedAt: iso(nowMs - 40 * MINUTE),
  },
  {
    name: 'Plan Tier',
    trait: 'plan_tier',
    users: 48_210,
    createdAt: iso(nowMs - 400 * HOUR),
    syncedAt: iso(nowMs - 26 * HOUR),
    sync: { phase: 'applying', received: 49_000, applied: 31_500 },
  },
];

const deletions = (nowMs: number): DeletionReport[] => [
  {
    id: 'd3',
    at: iso(nowMs - 2 * MINUTE),
    users: 1_204,
    sources: ['shop', 'mobile app'],
    limited: true,
    notifications: 2_408,
    done: 1_120,
    erased: 840,
    status: 'running',
  },
  {
    id: 'd2',
    at: iso(nowMs - 5 * HOUR),
    users: 1,
    sources: ['shop'],
    limited: true,
    notifications: 1,
    done: 1,
    erased: 3,
    status: 'done',
  },
  {
    id: 'd1',
    at: iso(nowMs - 300 * HOUR),
    users: 5_000,
    sources: ['shop', 'mobile app'],
    limited: true,
    notifications: 10_000,
    done: 10_000,
    erased: 0,
    status: 'done',
  },
];

const changes = (nowMs: number): ChangeReport[] => [
  {
    id: 'c4',
    at: iso(nowMs - MINUTE),
    by: 'configuration',
    call: 'reload',
    status: 200,
    changes: ['source shop changed', 'destination CRM is new'],
  },
  {
    id: 'c3',
    at: iso(nowMs - 2 * MINUTE),
    by: 'ana',
    call: 'PUT /v1/destinations/My%20CRM/paused',
    before: false,
    value: true,
    status: 200,
  },
  {
    id: 'c2',
    at: iso(nowMs - 3 * MINUTE),
    by: 'ben',
    call: 'POST /v1/deliveries/replay',
    destination: 'CRM',
    job: 'j1',
    status: 200,
    counts: { deliveries: 3 },
  },
  {
    id: 'c1',
    at: iso(nowMs - HOUR),
    by: 'admin',
    call: 'PATCH /v1/audiences/vip',
    status: 200,
    counts: { members: 120, joined: 5, left: 2 },
  },
  {
    ...{ id: 'c0', at: iso(nowMs - 2 * HOUR), by: 'ben', call: 'POST /v1/deletions', status: 202 },
    sources: ['shop', 'app'],
    counts: { users: 1, notifications: 2 },
  },
  {
    ...{ id: 'b9', at: iso(nowMs - 3 * HOUR), by: 'ana', call: 'POST /v1/deletions', status: 202 },
    counts: { users: 1_200, notifications: 0 },
  },
];

function letter(index: number, nowMs: number): DeliveryReport {
  const isRefused = index % 3 !== 0;
  // Refusals are recent; deliveries that ran out of time did so in an outage on the day before.
  const at = isRefused ? nowMs - 39 * MINUTE + index * 15_000 : nowMs - 30 * HOUR + index * 7 * MINUTE;
  return {
    destination: 'CRM',
    id: `order-${5000 + index}`,
    ...(index % 4 === 0 ? { type: 'identify' } : { type: 'track', event: 'Order Completed' }),
    userId: `user-${index}`,
    source: 'shop',
    acceptedAt: iso(at),
    webhook: { url: isRefused ? CRM : BACKUP },
    phase: 'dead',
    reason: isRefused ? 'permanent' : 'window-over',
    attempts: isRefused ? 1 : 3,
    lastAttemptAt: iso(isRefused ? at + 1_000 : at + 4 * HOUR),
    result: isRefused ? '422' : 'TIMEOUT',
    durationMs: isRefused ? 84 : 30_000,
    nextAttemptAt: null,
  };
}

const atRest = { failing: false, nextAttemptAt: null, triedUntil: null };

const explanations = (
  { id, type, event, userId = '', acceptedAt }: DeliveryReport,
  nowMs: number,
): DeliveryExplanation[] => [
  {
    destination: 'CRM',
    id,
    type,
    source: 'shop',
    message: { type, messageId: id, userId, ...(event !== undefined && { event }), properties: { total: 42 } },
    settle: 'each',
    acceptedAt,
    endpoints: [
      {
        url: CRM,
        phase: 'dead',
        why: 'another attempt would not change the last result',
        rule: 'a 4xx says that the request itself is wrong',
        ...atRest,
        attempts: [
          {
            at: iso(Date.parse(acceptedAt) + 1_000),
            durationMs: 84,
            result: 'rejected',
            status: 422,
            answer: { headers: {}, text: `{"error":"unknown user <b>${userId}</b>"}`, isCut: false },
          },
        ],
      },
      {
        url: BACKUP,
        phase: 'retrying',
        why: 'the circuit breaker of the endpoint is open, as it failed many times in a row',
        rule: null,
        ...atRest,
        failing: true,
        nextAttemptAt: iso(nowMs + 45_000),
        triedUntil: iso(Date.parse(acceptedAt) + 4 * HOUR),
        attempts: [{ at: iso(Date.parse(acceptedAt) + 1_000), durationMs: 212, result: 'server-error', status: 500 }],
      },
    ],
  },
  {
    destination: 'Warehouse',
    id,
    type,
    source: 'shop',
    message: null,
    settle: 'any',
    acceptedAt,
    endpoints: [
      {
        url: `${WAREHOUSE}?for=${id}`,
        phase: 'delivered',
        why: 'the endpoint took it',
        rule: null,
        ...atRest,
        attempts: [{ at: iso(Date.parse(acceptedAt) + 1_000), durationMs: 41, result: 'success', status: 200 }],
      },
    ],
  },
];
