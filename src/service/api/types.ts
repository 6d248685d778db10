import type {
  AudienceReport,
  DeadLetterFilter,
  DeadLetterPage,
  DeadLetterWithBody,
  DeletionReport,
  DestinationReport,
  Health,
  HourCount,
  LetterChange,
  LetterJob,
  RequestedDeletion,
  SessionState,
  SourceReport,
  Status,
  SyncResult,
} from './answers.js';
import type { DeliveryExplanation, DeliveryPage, DeliveryQuery, TestRequest, TestResult } from './delivery-answers.js';
import type { DestinationHistory, HistoryQuery, RejectionReport, SourceHistory } from './history-answers.js';

// The service's HTTP API: what each route takes and what it answers. The routes, the client of `eventferry/admin`, the command
// and the dashboard have it from here. Every time is ISO 8601 in UTC with milliseconds.

/** By method and path: the parameters in the query, the body, and the answer to a request that is not refused. */
export interface Api {
  'GET /healthz': { answer: Health };
  'GET /readyz': { answer: Health };
  /** In the text format of Prometheus. */
  'GET /metrics': { answer: string };
  /** The page, as HTML. */
  'GET /': { answer: Response };
  /** What happens, as server-sent events; of one source where it is named. */
  'GET /v1/feed': { query: { readonly source?: string }; answer: Response };

  'GET /v1/session': { answer: SessionState };
  'POST /v1/session': { body: { readonly token: string }; answer: undefined };
  'DELETE /v1/session': { answer: undefined };

  'GET /v1/status': { answer: Status };
  'GET /v1/sources': { answer: SourceReport[] };
  'GET /v1/sources/:name/counts': { query: { readonly hours?: string }; answer: HourCount[] };
  'GET /v1/sources/:name/history': { query: HistoryQuery; answer: SourceHistory };
  'GET /v1/sources/:name/rejections': { answer: RejectionReport[] };
  /** What was attempted of late, in all processes, newest first. */
  'GET /v1/deliveries': { query: DeliveryQuery; answer: DeliveryPage };
  'GET /v1/deliveries/:id': { answer: DeliveryExplanation[] };

  'GET /v1/destinations': { answer: DestinationReport[] };
  'GET /v1/destinations/:name': { answer: DestinationReport };
  'GET /v1/destinations/:name/history': { query: HistoryQuery; answer: DestinationHistory };
  'PUT /v1/destinations/:name/paused': { body: { readonly paused: boolean }; answer: DestinationReport };
  /** Sends one event to each webhook, or to one, and gives what they answered. It is neither stored nor tried again. */
  'POST /v1/destinations/:name/test': { body: TestRequest; answer: TestResult[] };
  'PUT /v1/destinations/:name/enabled': { body: { readonly enabled: boolean }; answer: DestinationReport };
  'GET /v1/destinations/:name/dead-letters': { query: DeadLetterQuery; answer: DeadLetterPage };
  'GET /v1/destinations/:name/dead-letters/count': { query: DeadLetterCountQuery; answer: { deliveries: number } };
  'GET /v1/destinations/:name/dead-letters/:id': { answer: DeadLetterWithBody };
  'POST /v1/destinations/:name/replay': { body: ReplayRequest; answer: LetterChange };
  'POST /v1/destinations/:name/discard': { body: DiscardRequest; answer: LetterChange };
  'GET /v1/destinations/:name/jobs': { answer: LetterJob[] };
  'GET /v1/destinations/:name/jobs/:id': { answer: LetterJob };
  'DELETE /v1/destinations/:name/jobs/:id': { answer: LetterJob };

  'POST /v1/deletions': { body: DeletionRequest; answer: RequestedDeletion };
  'GET /v1/deletions': { query: { readonly limit?: string }; answer: DeletionReport[] };
  'GET /v1/deletions/:id': { answer: DeletionReport };

  'GET /v1/audiences': { answer: AudienceReport[] };
  'GET /v1/audiences/:name': { answer: AudienceReport };
  /** The body is newline-delimited JSON: each line a user id, or an object with a `userId`. */
  'PUT /v1/audiences/:name': { body: AsyncIterable<string>; answer: SyncResult };
  'PATCH /v1/audiences/:name': { body: MembershipChange; answer: SyncResult };
  'DELETE /v1/audiences/:name': { answer: SyncResult };
}

/** `GET /v1/status` */
export type Route = keyof Api;

/** The answer to every request that is refused. */
export interface ErrorAnswer {
  readonly code: ErrorCode;
  readonly message: string;
  /** The line of an audience's list that is wrong, from 1. */
  readonly line?: number;
}

export type ErrorCode =
  | 'admin_disabled'
  | 'audience_busy'
  | 'audience_invalid_change'
  | 'audience_invalid_member'
  | 'audience_invalid_name'
  | 'audience_not_found'
  | 'audience_trait_taken'
  | 'audience_unfinished'
  | 'audiences_closed'
  | 'body_broken_off'
  | 'body_timeout'
  | 'body_too_large'
  | 'closing'
  | 'internal_error'
  | 'invalid_encoding'
  | 'invalid_field'
  | 'invalid_json'
  | 'invalid_path'
  | 'invalid_query'
  | 'method_not_allowed'
  | 'not_done'
  | 'not_found'
  | 'not_json'
  | 'not_ndjson'
  | 'not_ready'
  | 'other_origin'
  | 'replay_target'
  | 'too_many_attempts'
  | 'unauthorized'
  | 'unsupported_encoding';

export interface DeadLetterQuery extends DeadLetterFilter {
  /** How many letters a page has at most, from 1 to 500. @default 50 */
  readonly limit?: string | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

export type DeadLetterCountQuery = Omit<DeadLetterFilter, 'from' | 'to'>;

/** At least one of `id`, a filter, and `all: true`. */
export interface DiscardRequest extends DeadLetterFilter {
  readonly id?: string | undefined;
  readonly all?: true | undefined;
  /** Deliveries a second. @default no limit */
  readonly rate?: number | undefined;
}

export interface ReplayRequest extends DiscardRequest {
  /** The webhook, by `id` or URL, that gets the letters of webhooks that are configured no more. */
  readonly sendTo?: string | undefined;
}

export interface DeletionRequest {
  readonly userIds: readonly string[];
  /** The sources whose destinations are told. @default all */
  readonly sources?: readonly string[] | undefined;
}

/** Who joins and who leaves. A user who is a member already, or none already, stays so. */
export interface MembershipChange {
  readonly join?: readonly string[] | undefined;
  readonly leave?: readonly string[] | undefined;
}
