import type {
  ChangeReport,
  DestinationPage,
  DestinationReport,
  Health,
  HourCount,
  SessionState,
  SourcePage,
  Status,
} from './answer-types.js';
import type { AudienceReport, SyncResult, TraitReport, TraitResult } from './audience-answers.js';
import type { DeletionPreview, DeletionReport } from './deletion-answers.js';
import type {
  DeliveryChange,
  DeliveryExplanation,
  DeliveryJob,
  DeliveryPage,
  DeliveryQuery,
  TestRequest,
  TestResult,
} from './delivery-answers.js';
import type {
  DeliveryErrorReport,
  DestinationHistory,
  HistoryQuery,
  RejectionReport,
  SourceHistory,
  ViolationReport,
} from './history-answers.js';
import type {
  AudienceQuery,
  CountsQuery,
  DeletionRequest,
  DestinationQuery,
  DiscardRequest,
  EnableRequest,
  FeedQuery,
  ListQuery,
  MembershipChange,
  NewestPageQuery,
  PauseRequest,
  ReplayRequest,
  SignIn,
  SourceQuery,
  TraitChange,
} from './requests.js';

// The service's HTTP API: what each route takes and what it answers. The routes, `openapi.json`, the client of
// `eventferry/admin`, the command and the dashboard use these types. Every time is ISO 8601 in UTC with milliseconds.

/**
 * By method and path: the parameters in the query, the body, and the answer to a request that is not refused. The routes, the
 * client and `openapi.json` are made from it. Where a route says no more:
 *
 * - `open`: it needs the admin token, or a session that was opened with it.
 * - `status`: the status of its answer is 200, or 204 where there is none.
 * - `type`, `bodyType`: the answer and the body are JSON.
 * - `conflicts`: it never answers 409.
 */
export interface Api {
  /** Says that the process runs. */
  'GET /healthz': { open: true; answer: Health };
  /** Says whether messages can be accepted now. */
  'GET /readyz': { open: true; answer: Health };
  /**
   * Metrics in the text format of Prometheus. `metrics.token` gives access; with `admin.listen` no token is needed unless
   * `metrics.token` is set.
   */
  'GET /metrics': { answer: string; type: 'text/plain' };
  /** The page. */
  'GET /': { open: true; answer: string; type: 'text/html' };
  /** This document. */
  'GET /v1/openapi.json': { open: true; answer: OpenApiDocument };
  /** Live events as they happen, of all sources or of one. */
  'GET /v1/feed': { query: FeedQuery; answer: string; type: 'text/event-stream' };

  /** Says whether the page is signed in, and whether it can be. */
  'GET /v1/session': { open: true; answer: SessionState };
  /** Signs the page in by setting the cookie of a session. */
  'POST /v1/session': { open: true; body: SignIn; answer: undefined };
  /** Signs the page out, in every process. */
  'DELETE /v1/session': { open: true; answer: undefined };

  /** Version, configuration, store, event loop. */
  'GET /v1/status': { answer: Status };
  /** The changes through the API or the page in the last 30 days, newest first. */
  'GET /v1/changes': { query: NewestPageQuery; answer: ChangeReport[] };
  /** Sources with their last hour. */
  'GET /v1/sources': { query: SourceQuery; answer: SourcePage };
  /** Events of a source by hour, newest first. */
  'GET /v1/sources/:name/counts': { query: CountsQuery; answer: HourCount[] };
  /** Counts of a source over an hour, a day or a week. */
  'GET /v1/sources/:name/history': { query: HistoryQuery; answer: SourceHistory };
  /** Says why messages of a source were rejected, with an example of each reason. */
  'GET /v1/sources/:name/rejections': { answer: RejectionReport[] };
  /** The violations of a source's tracking plan, by event, path and reason, with an example of each. */
  'GET /v1/sources/:name/violations': { answer: ViolationReport[] };
  /** The recent attempts of all processes, the waiting deliveries, or the dead letters. */
  'GET /v1/deliveries': { query: DeliveryQuery; answer: DeliveryPage };
  /** The state of a message at each destination that knows it. */
  'GET /v1/deliveries/:id': { answer: DeliveryExplanation[] };
  /** Delivers dead letters again: 200 when it is done, 202 while it continues as a job. */
  'POST /v1/deliveries/replay': { body: ReplayRequest; answer: DeliveryChange; status: 200 | 202; conflicts: true };
  /** Removes dead letters or waiting deliveries for good: 200 when it is done, 202 while it continues as a job. */
  'POST /v1/deliveries/discard': { body: DiscardRequest; answer: DeliveryChange; status: 200 | 202; conflicts: true };

  /** Running replays and discards, and those of the last week, newest first. */
  'GET /v1/jobs': { query: ListQuery; answer: DeliveryJob[] };
  /** The progress of a replay or discard. */
  'GET /v1/jobs/:id': { answer: DeliveryJob };
  /** Stops a replay or discard. What it did stays done. */
  'DELETE /v1/jobs/:id': { answer: DeliveryJob };

  /** Destinations with their endpoints and counters, including removed ones that still hold deliveries. */
  'GET /v1/destinations': { query: DestinationQuery; answer: DestinationPage };
  /** One destination. */
  'GET /v1/destinations/:name': { answer: DestinationReport };
  /** Attempts, durations and backlog over an hour, a day or a week. */
  'GET /v1/destinations/:name/history': { query: HistoryQuery; answer: DestinationHistory };
  /** The last 20 kinds of failed attempts in a week, newest first, each with its count and its latest event. */
  'GET /v1/destinations/:name/errors': { answer: DeliveryErrorReport[] };
  /** Pauses or resumes deliveries, in all processes. Waiting and new events are kept meanwhile. */
  'PUT /v1/destinations/:name/paused': { body: PauseRequest; answer: DestinationReport };
  /** Sends one event to each webhook or to one, and returns the answers. The event is neither stored nor retried. */
  'POST /v1/destinations/:name/test': { body: TestRequest; answer: TestResult[] };
  /** Enables or disables a destination, in all processes. */
  'PUT /v1/destinations/:name/enabled': { body: EnableRequest; answer: DestinationReport };

  /**
   * Deletes users: stores the request, answers 202 and continues on its own. With `dryRun` it answers 200 and deletes nothing.
   */
  'POST /v1/deletions': { body: DeletionRequest; answer: DeletionReport | DeletionPreview; status: 200 | 202 };
  /** Deletions, newest first. */
  'GET /v1/deletions': { query: NewestPageQuery; answer: DeletionReport[] };
  /** The progress of a deletion. */
  'GET /v1/deletions/:id': { answer: DeletionReport };

  /** Audiences, ordered by their traits. */
  'GET /v1/audiences': { query: ListQuery; answer: AudienceReport[] };
  /** One audience. */
  'GET /v1/audiences/:name': { answer: AudienceReport };
  /**
   * Replaces the members, and creates the audience if it does not exist. Each line of the body is a user id, or an object with a
   * `userId`.
   */
  'PUT /v1/audiences/:name': {
    query: AudienceQuery;
    body: string;
    bodyType: 'application/x-ndjson';
    answer: SyncResult;
    conflicts: true;
  };
  /** Adds and removes members, at most 5,000 together. */
  'PATCH /v1/audiences/:name': { body: MembershipChange; answer: SyncResult; conflicts: true };
  /** Removes all members and the audience. */
  'DELETE /v1/audiences/:name': { answer: SyncResult; conflicts: true };

  /** Computed traits, in order. */
  'GET /v1/traits': { query: ListQuery; answer: TraitReport[] };
  /** One computed trait. */
  'GET /v1/traits/:name': { answer: TraitReport };
  /**
   * Replaces the values, and creates the trait if it does not exist. Each line of the body is an object with a `userId` and a
   * `value`.
   */
  'PUT /v1/traits/:name': { body: string; bodyType: 'application/x-ndjson'; answer: TraitResult; conflicts: true };
  /** Sets and removes values, at most 5,000 together. */
  'PATCH /v1/traits/:name': { body: TraitChange; answer: TraitResult; conflicts: true };
  /** Removes the values of all users and the trait. */
  'DELETE /v1/traits/:name': { answer: TraitResult; conflicts: true };
}

/** `GET /v1/status` */
export type Route = keyof Api;

/** The answer to every refused request. */
export interface ErrorAnswer {
  readonly code: ErrorCode;
  readonly message: string;
  /** The number of the wrong line in a list, from 1. */
  readonly line?: number;
}

/** The codes of refused requests, by the status of the answer. */
export const ERROR_CODES = {
  400: [
    'audience_invalid_member',
    'audience_invalid_name',
    'body_broken_off',
    'invalid_encoding',
    'invalid_json',
    'invalid_path',
    'invalid_query',
    'trait_invalid_name',
    'trait_invalid_value',
  ],
  401: ['unauthorized'],
  403: ['admin_disabled', 'metrics_disabled', 'other_origin', 'read_only'],
  404: ['audience_not_found', 'not_found', 'trait_not_found'],
  405: ['method_not_allowed'],
  408: ['body_timeout'],
  409: ['audience_busy', 'audience_trait_taken', 'delivery_state', 'replay_target', 'trait_busy', 'trait_taken'],
  413: ['body_too_large'],
  415: ['not_json', 'not_ndjson', 'unsupported_encoding'],
  422: ['audience_invalid_change', 'invalid_field', 'trait_invalid_change'],
  429: ['too_many_attempts'],
  500: ['internal_error'],
  503: [
    'audience_unfinished',
    'audiences_closed',
    'closing',
    'not_done',
    'not_ready',
    'trait_unfinished',
    'traits_closed',
  ],
} as const;

type Codes = typeof ERROR_CODES;

export type ErrorCode = { [S in keyof Codes]: Codes[S][number] }[keyof Codes];

/** An [OpenAPI](https://spec.openapis.org/oas/v3.1.1) document. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly [field: string]: unknown;
}
