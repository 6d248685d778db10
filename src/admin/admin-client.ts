import type {
  ChangeReport,
  DeadLetter,
  DeadLetterCount,
  DeadLetterFilter,
  DeadLetterWithBody,
  DeletionReport,
  DestinationReport,
  HourCount,
  LetterChange,
  LetterJob,
  RemovedDestination,
  RequestedDeletion,
  SourceReport,
  Status,
} from '../service/api/answers.js';
import type {
  DeliveryExplanation,
  RecentDelivery,
  TestRequest,
  TestResult,
  WaitingDelivery,
  WaitingFilter,
} from '../service/api/delivery-answers.js';
import type {
  DestinationHistory,
  RejectionReport,
  SourceHistory,
  ViolationReport,
} from '../service/api/history-answers.js';
import type { DiscardRequest, ReplayRequest } from '../service/api/types.js';
import { ApiCalls, json } from './api-calls.js';
import {
  type AdminClientOptions,
  type CallOptions,
  type DeletionOptions,
  type DeliveryFilter,
  type HistoryOptions,
  type ListOptions,
  resolveOptions,
} from './options.js';
import { SyncClient } from './sync-client.js';
import { checkUserId } from './user-lines.js';

/** How many dead letters or deliveries are asked for at once. */
const PAGE = 500;

/**
 * Changes audiences and computed traits, watches sources and destinations, replays and discards dead letters, and asks for deletions, at a service
 * that `eventferry serve` or a `Service` of your own runs. Makes each call once: each error says whether to make it again. Holds
 * no connection between two calls.
 *
 * @example
 * const admin = new AdminClient({ url: 'http://127.0.0.1:4100', token: process.env.EVENTFERRY_ADMIN_TOKEN ?? '' });
 * const { joined, left } = await admin.syncAudience('High Value Users', ['u1', 'u2']);
 */
export class AdminClient extends SyncClient {
  readonly #calls: ApiCalls;

  /** @throws OptionError */
  constructor(options: AdminClientOptions) {
    const calls = new ApiCalls(resolveOptions(options));
    super(calls);
    this.#calls = calls;
  }

  /**
   * Asks that users be deleted: each source's destinations get a notification for each user. To ask again after an error makes the
   * notifications again, which endpoints must expect anyway.
   *
   * @throws what `syncAudience` throws.
   */
  async requestDeletion(
    userIds: Iterable<string>,
    { sources, signal }: DeletionOptions = {},
  ): Promise<RequestedDeletion> {
    const ids = [...userIds];
    for (const [index, userId] of ids.entries()) checkUserId(`userIds[${index}]`, userId);
    return this.#calls.make('POST /v1/deletions', { ...json({ userIds: ids, sources }), signal });
  }

  /** @throws AdminNotFoundError when there is no such deletion, and what `syncAudience` throws. */
  async deletion(id: string, { signal }: CallOptions = {}): Promise<DeletionReport> {
    return this.#calls.make('GET /v1/deletions/:id', { params: { id }, signal });
  }

  /** The deletions of the last year, the newest first: 100, or up to 1,000. @throws what `syncAudience` throws. */
  async deletions({ signal, ...query }: ListOptions = {}): Promise<DeletionReport[]> {
    return this.#calls.make('GET /v1/deletions', { query, signal });
  }

  /**
   * What was changed through the API or the page in the last 30 days, the newest first: 100, or up to 1,000.
   *
   * @throws what `syncAudience` throws.
   */
  async changes({ signal, ...query }: ListOptions = {}): Promise<ChangeReport[]> {
    return this.#calls.make('GET /v1/changes', { query, signal });
  }

  /**
   * The dead letters of a destination for which all of the filter holds, those accepted first first. They are asked for page by
   * page, as fast as they are taken.
   *
   * @throws AdminNotFoundError when there is no such destination, and what `syncAudience` throws.
   */
  async *deadLetters(
    destination: string,
    { signal, ...filter }: DeadLetterFilter & CallOptions = {},
  ): AsyncGenerator<DeadLetter, void, undefined> {
    let after: string | undefined;
    do {
      const query = { ...filter, limit: PAGE, after };
      const page = await this.#calls.make('GET /v1/destinations/:name/dead-letters', {
        params: { name: destination },
        query,
        signal,
      });
      yield* page.letters;
      after = page.next;
    } while (after !== undefined);
  }

  /** How many dead letters there are, one for each webhook. @throws what `deadLetters` throws. */
  async countDeadLetters(
    destination: string,
    { signal, ...query }: DeadLetterFilter & CallOptions = {},
  ): Promise<DeadLetterCount> {
    const target = { params: { name: destination }, query, signal };
    return this.#calls.make('GET /v1/destinations/:name/dead-letters/count', target);
  }

  /**
   * One dead letter, with its message.
   *
   * @throws AdminNotFoundError when there is no such destination or dead letter, and what `syncAudience` throws.
   */
  async deadLetter(destination: string, id: string, { signal }: CallOptions = {}): Promise<DeadLetterWithBody> {
    const params = { name: destination, id };
    return this.#calls.make('GET /v1/destinations/:name/dead-letters/:id', { params, signal });
  }

  /**
   * Lets the deliveries of dead letters begin anew: of one by `id`, of those that a filter means, or of `all: true`. A service that
   * needs more than a second for many answers with a job, whose `status` is `running` until `letterJob` says otherwise.
   *
   * @throws AdminNotFoundError when there is no such destination, and what `syncAudience` throws.
   */
  async replay(destination: string, { signal, ...which }: ReplayRequest & CallOptions): Promise<LetterChange> {
    const params = { name: destination };
    return this.#calls.make('POST /v1/destinations/:name/replay', { params, ...json(which), signal });
  }

  /**
   * What waits at a destination and fits the filter: by webhook, the earliest due first, page by page.
   *
   * @throws AdminNotFoundError when there is no such destination, and what `syncAudience` throws.
   */
  async *waitingDeliveries(
    destination: string,
    { signal, ...filter }: WaitingFilter & CallOptions = {},
  ): AsyncGenerator<WaitingDelivery, void, undefined> {
    let after: string | undefined;
    do {
      const page = await this.#calls.make('GET /v1/destinations/:name/waiting', {
        params: { name: destination },
        query: { ...filter, limit: PAGE, after },
        signal,
      });
      yield* page.deliveries;
      after = page.next;
    } while (after !== undefined);
  }

  /**
   * Removes dead letters or, with `state: 'waiting'`, what waits, for good. Takes and gives what `replay` does, without `sendTo`. A request
   * that runs already is not stopped.
   */
  async discard(destination: string, { signal, ...which }: DiscardRequest & CallOptions): Promise<LetterChange> {
    const params = { name: destination };
    return this.#calls.make('POST /v1/destinations/:name/discard', { params, ...json(which), signal });
  }

  /**
   * How far a replay or discard is. The service knows it for a week after its end.
   *
   * @throws AdminNotFoundError when there is no such destination or job, and what `syncAudience` throws.
   */
  async letterJob(destination: string, id: string, { signal }: CallOptions = {}): Promise<LetterJob> {
    return this.#calls.make('GET /v1/destinations/:name/jobs/:id', { params: { name: destination, id }, signal });
  }

  /** The replays and discards that run, and those of the last week, the newest first. @throws what `letterJob` throws. */
  async letterJobs(destination: string, { signal, ...query }: ListOptions = {}): Promise<LetterJob[]> {
    return this.#calls.make('GET /v1/destinations/:name/jobs', { params: { name: destination }, query, signal });
  }

  /** Stops a replay or discard; what is done stays done. Gives how it is then. @throws what `letterJob` throws. */
  async stopLetterJob(destination: string, id: string, { signal }: CallOptions = {}): Promise<LetterJob> {
    return this.#calls.make('DELETE /v1/destinations/:name/jobs/:id', { params: { name: destination, id }, signal });
  }

  /** Version, configuration, store and event loop of the service. @throws what `syncAudience` throws. */
  async status({ signal }: CallOptions = {}): Promise<Status> {
    return this.#calls.make('GET /v1/status', { signal });
  }

  /** All sources, with what they sent in the last hour. @throws what `syncAudience` throws. */
  async sources({ signal, ...query }: ListOptions = {}): Promise<SourceReport[]> {
    return this.#calls.make('GET /v1/sources', { query, signal });
  }

  /**
   * What a source sent of each event in each of the last 24 hours, or of up to 720, the newest first.
   *
   * @throws AdminNotFoundError when there is no such source, and what `syncAudience` throws.
   */
  async sourceCounts(
    name: string,
    { hours, signal }: { hours?: number | undefined } & CallOptions = {},
  ): Promise<HourCount[]> {
    return this.#calls.make('GET /v1/sources/:name/counts', { params: { name }, query: { hours }, signal });
  }

  /** What a source sent over an hour, a day or a week. @throws what `sourceCounts` throws. */
  async sourceHistory(name: string, { range, signal }: HistoryOptions = {}): Promise<SourceHistory> {
    return this.#calls.make('GET /v1/sources/:name/history', { params: { name }, query: { range }, signal });
  }

  /** Why messages of a source were rejected, with an example of each reason. @throws what `sourceCounts` throws. */
  async rejections(source: string, { signal }: CallOptions = {}): Promise<RejectionReport[]> {
    return this.#calls.make('GET /v1/sources/:name/rejections', { params: { name: source }, signal });
  }

  /** What of a source is not as its tracking plan says, with an example of each kind. @throws what `sourceCounts` throws. */
  async violations(source: string, { signal }: CallOptions = {}): Promise<ViolationReport[]> {
    return this.#calls.make('GET /v1/sources/:name/violations', { params: { name: source }, signal });
  }

  /** All destinations, with their endpoints and counters. @throws what `syncAudience` throws. */
  async destinations({ signal, ...query }: ListOptions = {}): Promise<DestinationReport[]> {
    return this.#calls.make('GET /v1/destinations', { query, signal });
  }

  /** @throws AdminNotFoundError when there is no such destination, and what `syncAudience` throws. */
  async destination(name: string, { signal }: CallOptions = {}): Promise<DestinationReport> {
    return this.#calls.make('GET /v1/destinations/:name', { params: { name }, signal });
  }

  /**
   * Destinations that the configuration no longer has and that have left something. `deadLetters`, `waitingDeliveries`, `replay` with
   * `sendTo`, and `discard` take their names.
   *
   * @throws what `syncAudience` throws.
   */
  async removedDestinations({ signal, ...query }: ListOptions = {}): Promise<RemovedDestination[]> {
    return this.#calls.make('GET /v1/removed-destinations', { query, signal });
  }

  /** Attempts, durations and backlog over an hour, a day or a week. @throws what `destination` throws. */
  async destinationHistory(name: string, { range, signal }: HistoryOptions = {}): Promise<DestinationHistory> {
    return this.#calls.make('GET /v1/destinations/:name/history', { params: { name }, query: { range }, signal });
  }

  /** Pauses or resumes deliveries, in all processes. What waits and what comes stays. @throws what `destination` throws. */
  async setPaused(name: string, paused: boolean, { signal }: CallOptions = {}): Promise<DestinationReport> {
    return this.#calls.make('PUT /v1/destinations/:name/paused', { params: { name }, ...json({ paused }), signal });
  }

  /** Switches a destination on or off, in all processes. While it is off it takes no events. @throws what `destination` throws. */
  async setEnabled(name: string, enabled: boolean, { signal }: CallOptions = {}): Promise<DestinationReport> {
    return this.#calls.make('PUT /v1/destinations/:name/enabled', { params: { name }, ...json({ enabled }), signal });
  }

  /** Posts a test event once to each webhook, or to one, and gives their answers. @throws what `destination` throws. */
  async testDestination(name: string, { signal, ...test }: TestRequest & CallOptions = {}): Promise<TestResult[]> {
    return this.#calls.make('POST /v1/destinations/:name/test', { params: { name }, ...json(test), signal });
  }

  /** What was attempted lately and fits the filter, the latest first, page by page. @throws what `syncAudience` throws. */
  async *deliveries({ signal, ...filter }: DeliveryFilter & CallOptions = {}): AsyncGenerator<RecentDelivery, void> {
    let after: string | undefined;
    do {
      const page = await this.#calls.make('GET /v1/deliveries', { query: { ...filter, limit: PAGE, after }, signal });
      yield* page.deliveries;
      after = page.next;
    } while (after !== undefined);
  }

  /** Where a message stands at each destination, by its `messageId`, with each attempt. @throws what `destination` throws. */
  async delivery(id: string, { signal }: CallOptions = {}): Promise<DeliveryExplanation[]> {
    return this.#calls.make('GET /v1/deliveries/:id', { params: { id }, signal });
  }
}
