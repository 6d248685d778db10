import { checkOptions } from '../base/options/check-options.js';
import type {
  ChangeReport,
  DestinationPage,
  DestinationReport,
  HourCount,
  SourcePage,
  Status,
} from '../service/api/answer-types.js';
import type { DeletionPreview, DeletionReport } from '../service/api/deletion-answers.js';
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
  DeliveryErrorReport,
  DestinationHistory,
  RejectionReport,
  SourceHistory,
  ViolationReport,
} from '../service/api/history-answers.js';
import type { DestinationQuery, DiscardRequest, ReplayRequest, SourceQuery } from '../service/api/requests.js';
import {
  type AdminClientOptions,
  type CallOptions,
  type CountsOptions,
  type DeletionOptions,
  type DeliveryListOptions,
  type HistoryOptions,
  type ListOptions,
  resolveOptions,
} from './admin-options.js';
import { ApiCalls, json } from './api-calls.js';
import { asBody, asQuery, OPTIONS, signalOf } from './call-options.js';
import { SyncClient } from './sync-client.js';
import { checkList, checkUserId } from './user-lines.js';

/** The number of deliveries that one request asks for. */
const PAGE = 500;

/**
 * A client of a service that `eventferry serve` or your own `Service` runs. It changes audiences and computed traits, reads
 * sources and destinations, replays and discards deliveries, and requests deletions of users. A call that only reads is repeated
 * up to three times while the service is unavailable. Any other call is made once, and its error tells whether to repeat it. No
 * connection stays open between calls.
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
   * Requests the deletion of users: the destinations of each source get a notification for each user. Repeating the call after an
   * error sends the notifications again, which endpoints must expect in any case.
   *
   * @throws the errors of `syncAudience`
   */
  async requestDeletion(userIds: Iterable<string> & object, options: DeletionOptions = {}): Promise<DeletionReport> {
    // The service answers with a preview only if `dryRun` is set.
    return (await this.#askForDeletion(userIds, options)) as DeletionReport;
  }

  /** Counts what a deletion of these users would erase, by source. It deletes nothing. @throws the errors of `syncAudience` */
  async previewDeletion(userIds: Iterable<string> & object, options: DeletionOptions = {}): Promise<DeletionPreview> {
    return (await this.#askForDeletion(userIds, options, true)) as DeletionPreview;
  }

  /** Reads the progress of a deletion. @throws AdminNotFoundError if it does not exist, and the errors of `syncAudience` */
  async deletion(id: string, options: CallOptions = {}): Promise<DeletionReport> {
    return this.#calls.make('GET /v1/deletions/:id', { params: { id }, ...signalOf(options) });
  }

  /** Lists the deletions of the last year, newest first: 100 by default, at most 1,000. @throws the errors of `syncAudience` */
  async deletions(options: ListOptions = {}): Promise<DeletionReport[]> {
    return this.#calls.make('GET /v1/deletions', asQuery(options, OPTIONS.list));
  }

  /**
   * Lists the changes that were made through the API or the page in the last 30 days, newest first: 100 by default, at most
   * 1,000.
   *
   * @throws the errors of `syncAudience`
   */
  async changes(options: ListOptions = {}): Promise<ChangeReport[]> {
    return this.#calls.make('GET /v1/changes', asQuery(options, OPTIONS.list));
  }

  /**
   * Delivers dead letters again: one event by `destination` and `id`, those that match a filter, or all with `all: true`. If this
   * takes the service longer than a second, it answers with a job; the job's `status` is `running` until `job` returns another
   * one.
   *
   * @throws AdminNotFoundError when the destination or event does not exist, and the errors of `syncAudience`
   */
  async replay(which: ReplayRequest & CallOptions): Promise<DeliveryChange> {
    return this.#calls.make('POST /v1/deliveries/replay', asBody(which, OPTIONS.replay, 'replay({ all: true })'));
  }

  /**
   * Removes dead letters for good or, with `state: 'waiting'`, waiting deliveries. It takes and returns the same as `replay`,
   * without `sendTo`. A request to a webhook that is already running is not stopped.
   */
  async discard(which: DiscardRequest & CallOptions): Promise<DeliveryChange> {
    return this.#calls.make('POST /v1/deliveries/discard', asBody(which, OPTIONS.discard, 'discard({ all: true })'));
  }

  /**
   * Reads the progress of a replay or discard. The service keeps it for a week after its end.
   *
   * @throws AdminNotFoundError when the job does not exist, and the errors of `syncAudience`
   */
  async job(id: string, options: CallOptions = {}): Promise<DeliveryJob> {
    return this.#calls.make('GET /v1/jobs/:id', { params: { id }, ...signalOf(options) });
  }

  /** Lists the running replays and discards and those of the last week, newest first. @throws the errors of `syncAudience` */
  async jobs(options: ListOptions = {}): Promise<DeliveryJob[]> {
    return this.#calls.make('GET /v1/jobs', asQuery(options, OPTIONS.list));
  }

  /** Stops a replay or discard and returns its final state; what is already done stays done. @throws the errors of `job` */
  async stopJob(id: string, options: CallOptions = {}): Promise<DeliveryJob> {
    return this.#calls.make('DELETE /v1/jobs/:id', { params: { id }, ...signalOf(options) });
  }

  /** Reads the version, configuration, store and event loop delay of the service. @throws the errors of `syncAudience` */
  async status(options: CallOptions = {}): Promise<Status> {
    return this.#calls.make('GET /v1/status', signalOf(options));
  }

  /** Lists the sources that match the query, or all, with their last hour. @throws the errors of `syncAudience` */
  async sources(options: SourceQuery & CallOptions = {}): Promise<SourcePage> {
    return this.#calls.make('GET /v1/sources', asQuery(options, OPTIONS.sources));
  }

  /**
   * Reads how many messages of each event a source sent, by hour, newest first: 24 hours by default, at most 720.
   *
   * @throws AdminNotFoundError when the source does not exist, and the errors of `syncAudience`
   */
  async sourceCounts(name: string, options: CountsOptions = {}): Promise<HourCount[]> {
    const query = asQuery(options, OPTIONS.counts);
    return this.#calls.make('GET /v1/sources/:name/counts', { params: { name }, ...query });
  }

  /** Reads the counts of a source over an hour, a day or a week. @throws the errors of `sourceCounts` */
  async sourceHistory(name: string, options: HistoryOptions = {}): Promise<SourceHistory> {
    const query = asQuery(options, OPTIONS.history);
    return this.#calls.make('GET /v1/sources/:name/history', { params: { name }, ...query });
  }

  /** Reads why messages of a source were rejected, with an example of each reason. @throws the errors of `sourceCounts` */
  async rejections(source: string, options: CallOptions = {}): Promise<RejectionReport[]> {
    return this.#calls.make('GET /v1/sources/:name/rejections', { params: { name: source }, ...signalOf(options) });
  }

  /** Reads the violations of a source's tracking plan, with an example of each kind. @throws the errors of `sourceCounts` */
  async violations(source: string, options: CallOptions = {}): Promise<ViolationReport[]> {
    return this.#calls.make('GET /v1/sources/:name/violations', { params: { name: source }, ...signalOf(options) });
  }

  /**
   * Lists all destinations, or those that match the query, with their endpoints and counters, and a summary of all destinations.
   * It includes removed destinations that still hold deliveries; their state is `removed`.
   *
   * @throws the errors of `syncAudience`
   */
  async destinations(options: DestinationQuery & CallOptions = {}): Promise<DestinationPage> {
    return this.#calls.make('GET /v1/destinations', asQuery(options, OPTIONS.destinations));
  }

  /** Reads one destination. @throws AdminNotFoundError when it does not exist, and the errors of `syncAudience` */
  async destination(name: string, options: CallOptions = {}): Promise<DestinationReport> {
    return this.#calls.make('GET /v1/destinations/:name', { params: { name }, ...signalOf(options) });
  }

  /** Reads attempts, durations and backlog over an hour, a day or a week. @throws the errors of `destination` */
  async destinationHistory(name: string, options: HistoryOptions = {}): Promise<DestinationHistory> {
    const query = asQuery(options, OPTIONS.history);
    return this.#calls.make('GET /v1/destinations/:name/history', { params: { name }, ...query });
  }

  /** Reads the last 20 kinds of failed attempts in a week, each with an example. @throws the errors of `destination` */
  async destinationErrors(name: string, options: CallOptions = {}): Promise<DeliveryErrorReport[]> {
    return this.#calls.make('GET /v1/destinations/:name/errors', { params: { name }, ...signalOf(options) });
  }

  /** Pauses or resumes deliveries in all processes. Deliveries are kept meanwhile. @throws the errors of `destination` */
  async setPaused(name: string, paused: boolean, options: CallOptions = {}): Promise<DestinationReport> {
    return this.#calls.make('PUT /v1/destinations/:name/paused', {
      params: { name },
      ...json({ paused }),
      ...signalOf(options),
    });
  }

  /** Enables or disables a destination in all processes. A disabled one gets no events. @throws the errors of `destination` */
  async setEnabled(name: string, enabled: boolean, options: CallOptions = {}): Promise<DestinationReport> {
    return this.#calls.make('PUT /v1/destinations/:name/enabled', {
      params: { name },
      ...json({ enabled }),
      ...signalOf(options),
    });
  }

  /** Posts a test event once to each webhook or to one of them, and returns their answers. @throws the errors of `destination` */
  async testDestination(name: string, options: TestRequest & CallOptions = {}): Promise<TestResult[]> {
    const body = asBody(options, OPTIONS.test);
    return this.#calls.make('POST /v1/destinations/:name/test', { params: { name }, ...body });
  }

  /**
   * Yields the deliveries that match the filter, reading them page by page: dead letters with `phase: 'dead'`, waiting deliveries
   * with `phase: 'waiting'`, and otherwise recent attempts, newest first.
   *
   * @throws the errors of `syncAudience`
   */
  async *deliveries(options: DeliveryListOptions = {}): AsyncGenerator<DeliveryReport, void> {
    const { query: filter, signal } = asQuery(options, OPTIONS.deliveries);
    let after: string | undefined;
    do {
      const page = await this.#calls.make('GET /v1/deliveries', { query: { ...filter, limit: PAGE, after }, signal });
      yield* page.deliveries;
      after = page.next;
    } while (after !== undefined);
  }

  /** Counts the matching dead letters. An event counts once for each webhook. @throws the errors of `syncAudience` */
  async countDeadLetters(options: DeliveryFilter & CallOptions = {}): Promise<DeliveryCount> {
    const { query: filter, signal } = asQuery(options, OPTIONS.filter);
    const query = { ...filter, phase: 'dead', count: 'true', limit: 1 } as const;
    const { count } = await this.#calls.make('GET /v1/deliveries', { query, signal });
    return count ?? { deliveries: 0 };
  }

  /** Explains a message's state and attempts at each destination, by its `messageId`. @throws the errors of `destination` */
  async delivery(id: string, options: CallOptions = {}): Promise<DeliveryExplanation[]> {
    return this.#calls.make('GET /v1/deliveries/:id', { params: { id }, ...signalOf(options) });
  }

  #askForDeletion(
    userIds: Iterable<string> & object,
    options: DeletionOptions,
    dryRun?: true,
  ): Promise<DeletionPreview | DeletionReport> {
    checkOptions(options, OPTIONS.deletion, { door: 'admin' });
    const { sources, signal } = options;
    checkList('userIds', 'user ids', userIds);
    const ids = [...userIds];
    for (const [index, userId] of ids.entries()) checkUserId(`userIds[${index}]`, userId);
    return this.#calls.make('POST /v1/deletions', { ...json({ userIds: ids, sources, dryRun }), signal });
  }
}
