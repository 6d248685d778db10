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

/** The number of dead letters or deliveries that are asked for at once. */
const PAGE = 500;

/**
 * Changes audiences and computed traits, watches sources and destinations, replays and discards dead letters, and asks for deletions, at a service
 * that `eventferry serve` or a `Service` of your own runs. A call that only reads is repeated up to three times while the service is
 * unavailable. Any other call is made once, and its error says whether to make it again. Holds no connection between two calls.
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
  async requestDeletion(userIds: Iterable<string> & object, options: DeletionOptions = {}): Promise<DeletionReport> {
    // Only with `dryRun` does the service answer with a preview.
    return (await this.#askForDeletion(userIds, options)) as DeletionReport;
  }

  /** Counts what a deletion of these users would erase, and where. It deletes nothing. @throws what `syncAudience` throws. */
  async previewDeletion(userIds: Iterable<string> & object, options: DeletionOptions = {}): Promise<DeletionPreview> {
    return (await this.#askForDeletion(userIds, options, true)) as DeletionPreview;
  }

  /** @throws AdminNotFoundError when there is no such deletion, and what `syncAudience` throws. */
  async deletion(id: string, options: CallOptions = {}): Promise<DeletionReport> {
    return this.#calls.make('GET /v1/deletions/:id', { params: { id }, ...signalOf(options) });
  }

  /** The deletions of the last year, the newest first: 100, or up to 1,000. @throws what `syncAudience` throws. */
  async deletions(options: ListOptions = {}): Promise<DeletionReport[]> {
    return this.#calls.make('GET /v1/deletions', asQuery(options, OPTIONS.list));
  }

  /**
   * Reads the changes through the API or the page in the last 30 days, the newest first: 100, or up to 1,000.
   *
   * @throws what `syncAudience` throws.
   */
  async changes(options: ListOptions = {}): Promise<ChangeReport[]> {
    return this.#calls.make('GET /v1/changes', asQuery(options, OPTIONS.list));
  }

  /**
   * Lets the deliveries of dead letters begin anew: of one by `destination` and `id`, of those that a filter means, or of `all: true`. A
   * service that needs more than a second for many answers with a job, whose `status` is `running` until `job` says otherwise.
   *
   * @throws AdminNotFoundError when there is no such destination or event, and what `syncAudience` throws.
   */
  async replay(which: ReplayRequest & CallOptions): Promise<DeliveryChange> {
    return this.#calls.make('POST /v1/deliveries/replay', asBody(which, OPTIONS.replay, 'replay({ all: true })'));
  }

  /**
   * Removes dead letters or, with `state: 'waiting'`, what waits, for good. Takes and gives what `replay` does, without `sendTo`. A request
   * that runs already is not stopped.
   */
  async discard(which: DiscardRequest & CallOptions): Promise<DeliveryChange> {
    return this.#calls.make('POST /v1/deliveries/discard', asBody(which, OPTIONS.discard, 'discard({ all: true })'));
  }

  /**
   * Reads the progress of a replay or discard. The service knows it for a week after its end.
   *
   * @throws AdminNotFoundError when there is no such job, and what `syncAudience` throws.
   */
  async job(id: string, options: CallOptions = {}): Promise<DeliveryJob> {
    return this.#calls.make('GET /v1/jobs/:id', { params: { id }, ...signalOf(options) });
  }

  /** The replays and discards that run, and those of the last week, the newest first. @throws what `syncAudience` throws. */
  async jobs(options: ListOptions = {}): Promise<DeliveryJob[]> {
    return this.#calls.make('GET /v1/jobs', asQuery(options, OPTIONS.list));
  }

  /** Stops a replay or discard; what is done stays done. Gives how it is then. @throws what `job` throws. */
  async stopJob(id: string, options: CallOptions = {}): Promise<DeliveryJob> {
    return this.#calls.make('DELETE /v1/jobs/:id', { params: { id }, ...signalOf(options) });
  }

  /** Version, configuration, store and event loop of the service. @throws what `syncAudience` throws. */
  async status(options: CallOptions = {}): Promise<Status> {
    return this.#calls.make('GET /v1/status', signalOf(options));
  }

  /** The sources, with what they sent in the last hour: all, or those that fit the query. @throws what `syncAudience` throws. */
  async sources(options: SourceQuery & CallOptions = {}): Promise<SourcePage> {
    return this.#calls.make('GET /v1/sources', asQuery(options, OPTIONS.sources));
  }

  /**
   * Reads how many messages of each event a source sent in each of the last 24 hours, or of up to 720, the newest first.
   *
   * @throws AdminNotFoundError when there is no such source, and what `syncAudience` throws.
   */
  async sourceCounts(name: string, options: CountsOptions = {}): Promise<HourCount[]> {
    const query = asQuery(options, OPTIONS.counts);
    return this.#calls.make('GET /v1/sources/:name/counts', { params: { name }, ...query });
  }

  /** Reads the counts of a source over an hour, a day or a week. @throws what `sourceCounts` throws. */
  async sourceHistory(name: string, options: HistoryOptions = {}): Promise<SourceHistory> {
    const query = asQuery(options, OPTIONS.history);
    return this.#calls.make('GET /v1/sources/:name/history', { params: { name }, ...query });
  }

  /** Tells why messages of a source were rejected, with an example of each reason. @throws what `sourceCounts` throws. */
  async rejections(source: string, options: CallOptions = {}): Promise<RejectionReport[]> {
    return this.#calls.make('GET /v1/sources/:name/rejections', { params: { name: source }, ...signalOf(options) });
  }

  /** Reads the violations of a source's tracking plan, with an example of each kind. @throws what `sourceCounts` throws. */
  async violations(source: string, options: CallOptions = {}): Promise<ViolationReport[]> {
    return this.#calls.make('GET /v1/sources/:name/violations', { params: { name: source }, ...signalOf(options) });
  }

  /**
   * The destinations, with their endpoints and counters, and a summary of all: those that fit the query. Those that the configuration no
   * longer has and that have something left are among them, in the state `removed`.
   *
   * @throws what `syncAudience` throws.
   */
  async destinations(options: DestinationQuery & CallOptions = {}): Promise<DestinationPage> {
    return this.#calls.make('GET /v1/destinations', asQuery(options, OPTIONS.destinations));
  }

  /** @throws AdminNotFoundError when there is no such destination, and what `syncAudience` throws. */
  async destination(name: string, options: CallOptions = {}): Promise<DestinationReport> {
    return this.#calls.make('GET /v1/destinations/:name', { params: { name }, ...signalOf(options) });
  }

  /** Attempts, durations and backlog over an hour, a day or a week. @throws what `destination` throws. */
  async destinationHistory(name: string, options: HistoryOptions = {}): Promise<DestinationHistory> {
    const query = asQuery(options, OPTIONS.history);
    return this.#calls.make('GET /v1/destinations/:name/history', { params: { name }, ...query });
  }

  /** Pauses or resumes deliveries, in all processes. What waits and what comes stays. @throws what `destination` throws. */
  async setPaused(name: string, paused: boolean, options: CallOptions = {}): Promise<DestinationReport> {
    return this.#calls.make('PUT /v1/destinations/:name/paused', {
      params: { name },
      ...json({ paused }),
      ...signalOf(options),
    });
  }

  /** Switches a destination on or off, in all processes. While it is off it takes no events. @throws what `destination` throws. */
  async setEnabled(name: string, enabled: boolean, options: CallOptions = {}): Promise<DestinationReport> {
    return this.#calls.make('PUT /v1/destinations/:name/enabled', {
      params: { name },
      ...json({ enabled }),
      ...signalOf(options),
    });
  }

  /** Posts a test event once to each webhook, or to one, and gives their answers. @throws what `destination` throws. */
  async testDestination(name: string, options: TestRequest & CallOptions = {}): Promise<TestResult[]> {
    const body = asBody(options, OPTIONS.test);
    return this.#calls.make('POST /v1/destinations/:name/test', { params: { name }, ...body });
  }

  /**
   * The deliveries that fit the filter, page by page: with `phase: 'dead'` the dead letters, with `phase: 'waiting'` what waits, otherwise
   * what was attempted lately, the latest first.
   *
   * @throws what `syncAudience` throws.
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

  /** Counts the dead letters that match the filter, one for each webhook. @throws what `syncAudience` throws. */
  async countDeadLetters(options: DeliveryFilter & CallOptions = {}): Promise<DeliveryCount> {
    const { query: filter, signal } = asQuery(options, OPTIONS.filter);
    const query = { ...filter, phase: 'dead', count: 'true', limit: 1 } as const;
    const { count } = await this.#calls.make('GET /v1/deliveries', { query, signal });
    return count ?? { deliveries: 0 };
  }

  /** Explains where a message stands at each destination, by its `messageId`, with each attempt. @throws what `destination` throws. */
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
