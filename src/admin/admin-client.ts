import type {
  ChangeReport,
  DeletionReport,
  DestinationPage,
  DestinationReport,
  HourCount,
  RequestedDeletion,
  SourcePage,
  Status,
} from '../service/api/answers.js';
import type {
  DeliveryChange,
  DeliveryCount,
  DeliveryExplanation,
  DeliveryFilter,
  DeliveryJob,
  DeliveryReport,
  TestRequest,
  TestResult,
} from '../service/api/delivery-answers.js';
import type {
  DestinationHistory,
  RejectionReport,
  SourceHistory,
  ViolationReport,
} from '../service/api/history-answers.js';
import type { DestinationQuery, DiscardRequest, ReplayRequest, SourceQuery } from '../service/api/requests.js';
import { ApiCalls, json } from './api-calls.js';
import {
  type AdminClientOptions,
  type CallOptions,
  type DeletionOptions,
  type DeliveryListOptions,
  type HistoryOptions,
  type ListOptions,
  resolveOptions,
} from './options.js';
import { SyncClient } from './sync-client.js';
import { checkUserId } from './user-lines.js';

/** The number of dead letters or deliveries that are asked for at once. */
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
   * Reads the changes through the API or the page in the last 30 days, the newest first: 100, or up to 1,000.
   *
   * @throws what `syncAudience` throws.
   */
  async changes({ signal, ...query }: ListOptions = {}): Promise<ChangeReport[]> {
    return this.#calls.make('GET /v1/changes', { query, signal });
  }

  /**
   * Lets the deliveries of dead letters begin anew: of one by `destination` and `id`, of those that a filter means, or of `all: true`. A
   * service that needs more than a second for many answers with a job, whose `status` is `running` until `job` says otherwise.
   *
   * @throws AdminNotFoundError when there is no such destination or event, and what `syncAudience` throws.
   */
  async replay({ signal, ...which }: ReplayRequest & CallOptions): Promise<DeliveryChange> {
    return this.#calls.make('POST /v1/deliveries/replay', { ...json(which), signal });
  }

  /**
   * Removes dead letters or, with `state: 'waiting'`, what waits, for good. Takes and gives what `replay` does, without `sendTo`. A request
   * that runs already is not stopped.
   */
  async discard({ signal, ...which }: DiscardRequest & CallOptions): Promise<DeliveryChange> {
    return this.#calls.make('POST /v1/deliveries/discard', { ...json(which), signal });
  }

  /**
   * Reads the progress of a replay or discard. The service knows it for a week after its end.
   *
   * @throws AdminNotFoundError when there is no such job, and what `syncAudience` throws.
   */
  async job(id: string, { signal }: CallOptions = {}): Promise<DeliveryJob> {
    return this.#calls.make('GET /v1/jobs/:id', { params: { id }, signal });
  }

  /** The replays and discards that run, and those of the last week, the newest first. @throws what `syncAudience` throws. */
  async jobs({ signal, ...query }: ListOptions = {}): Promise<DeliveryJob[]> {
    return this.#calls.make('GET /v1/jobs', { query, signal });
  }

  /** Stops a replay or discard; what is done stays done. Gives how it is then. @throws what `job` throws. */
  async stopJob(id: string, { signal }: CallOptions = {}): Promise<DeliveryJob> {
    return this.#calls.make('DELETE /v1/jobs/:id', { params: { id }, signal });
  }

  /** Version, configuration, store and event loop of the service. @throws what `syncAudience` throws. */
  async status({ signal }: CallOptions = {}): Promise<Status> {
    return this.#calls.make('GET /v1/status', { signal });
  }

  /** The sources, with what they sent in the last hour: all, or those that fit the query. @throws what `syncAudience` throws. */
  async sources({ signal, ...query }: SourceQuery & CallOptions = {}): Promise<SourcePage> {
    return this.#calls.make('GET /v1/sources', { query, signal });
  }

  /**
   * Reads how many messages of each event a source sent in each of the last 24 hours, or of up to 720, the newest first.
   *
   * @throws AdminNotFoundError when there is no such source, and what `syncAudience` throws.
   */
  async sourceCounts(
    name: string,
    { hours, signal }: { hours?: number | undefined } & CallOptions = {},
  ): Promise<HourCount[]> {
    return this.#calls.make('GET /v1/sources/:name/counts', { params: { name }, query: { hours }, signal });
  }

  /** Reads the counts of a source over an hour, a day or a week. @throws what `sourceCounts` throws. */
  async sourceHistory(name: string, { range, signal }: HistoryOptions = {}): Promise<SourceHistory> {
    return this.#calls.make('GET /v1/sources/:name/history', { params: { name }, query: { range }, signal });
  }

  /** Tells why messages of a source were rejected, with an example of each reason. @throws what `sourceCounts` throws. */
  async rejections(source: string, { signal }: CallOptions = {}): Promise<RejectionReport[]> {
    return this.#calls.make('GET /v1/sources/:name/rejections', { params: { name: source }, signal });
  }

  /** Reads the violations of a source's tracking plan, with an example of each kind. @throws what `sourceCounts` throws. */
  async violations(source: string, { signal }: CallOptions = {}): Promise<ViolationReport[]> {
    return this.#calls.make('GET /v1/sources/:name/violations', { params: { name: source }, signal });
  }

  /**
   * The destinations, with their endpoints and counters, and a summary of all: those that fit the query. Those that the configuration no
   * longer has and that have something left are among them, in the state `removed`.
   *
   * @throws what `syncAudience` throws.
   */
  async destinations({ signal, ...query }: DestinationQuery & CallOptions = {}): Promise<DestinationPage> {
    return this.#calls.make('GET /v1/destinations', { query, signal });
  }

  /** @throws AdminNotFoundError when there is no such destination, and what `syncAudience` throws. */
  async destination(name: string, { signal }: CallOptions = {}): Promise<DestinationReport> {
    return this.#calls.make('GET /v1/destinations/:name', { params: { name }, signal });
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

  /**
   * The deliveries that fit the filter, page by page: with `phase: 'dead'` the dead letters, with `phase: 'waiting'` what waits, otherwise
   * what was attempted lately, the latest first.
   *
   * @throws what `syncAudience` throws.
   */
  async *deliveries({ signal, ...filter }: DeliveryListOptions = {}): AsyncGenerator<DeliveryReport, void> {
    let after: string | undefined;
    do {
      const page = await this.#calls.make('GET /v1/deliveries', { query: { ...filter, limit: PAGE, after }, signal });
      yield* page.deliveries;
      after = page.next;
    } while (after !== undefined);
  }

  /** Counts the dead letters that match the filter, one for each webhook. @throws what `syncAudience` throws. */
  async countDeadLetters({ signal, ...filter }: DeliveryFilter & CallOptions = {}): Promise<DeliveryCount> {
    const query = { ...filter, phase: 'dead', count: 'true', limit: 1 } as const;
    const { count } = await this.#calls.make('GET /v1/deliveries', { query, signal });
    return count ?? { deliveries: 0 };
  }

  /** Explains where a message stands at each destination, by its `messageId`, with each attempt. @throws what `destination` throws. */
  async delivery(id: string, { signal }: CallOptions = {}): Promise<DeliveryExplanation[]> {
    return this.#calls.make('GET /v1/deliveries/:id', { params: { id }, signal });
  }
}
