import { MEMBERSHIP, VALUES } from '../service/api/change-rules.js';
import type { DeletionPreview, DeletionReport } from '../service/api/deletion-answers.js';
import type { DeliveryCount, DeliveryFilter, DeliveryReport, TestRequest } from '../service/api/delivery-answers.js';
import type {
  DestinationQuery,
  DiscardRequest,
  MembershipChange,
  ReplayRequest,
  SourceQuery,
  TraitChange,
  TraitValue,
} from '../service/api/requests.js';
import {
  type AdminClientOptions,
  type CallOptions,
  type CountsOptions,
  checkCall,
  checkChange,
  type DeletionOptions,
  type DeliveryListOptions,
  type HistoryOptions,
  type ListOptions,
  resolveOptions,
  type SyncAudienceOptions,
} from './admin-options.js';
import { ApiCalls, FILTER_OPTIONS } from './api-calls.js';
import { checkList, checkUserId, checkUserValue, idLines, valueLines } from './user-lines.js';

/** The number of deliveries that one request asks for. */
const PAGE = 500;

/**
 * A client of a service that `eventferry serve` or your own `Service` runs. It changes audiences and computed traits, reads
 * sources and destinations, replays and discards deliveries, and requests deletions of users. A call that only reads is repeated
 * up to three times while the service is unavailable. Any other call is made once, and its error tells whether to repeat it. No
 * connection stays open between calls.
 *
 * Each call rejects with an OptionError for a wrong argument, an AdminNotFoundError if the named thing does not exist, an
 * AdminUnauthorizedError, AdminRefusedError, AdminConflictError or AdminUnavailableError if the service refuses the call for that
 * reason, or an AdminConnectionError if no answer arrives.
 *
 * @example
 * const admin = new AdminClient({ url: 'http://127.0.0.1:4100', token: process.env.EVENTFERRY_ADMIN_TOKEN ?? '' });
 * const { joined, left } = await admin.syncAudience('High Value Users', ['u1', 'u2']);
 */
export class AdminClient {
  readonly #calls: ApiCalls;

  /** @throws OptionError */
  constructor(options: AdminClientOptions) {
    this.#calls = new ApiCalls(resolveOptions(options));
  }

  /**
   * Replaces the members of an audience with the list, and creates the audience if it does not exist. The list is sent as fast as
   * the service reads it and never held in memory as a whole, so it may have any length. Resolves when the change is complete.
   *
   * @throws OptionError for a wrong id, and any error of the list; nothing was changed then
   * @throws AdminConflictError while another change of the audience runs, or when another audience has its trait
   */
  async syncAudience(
    name: string,
    userIds: AsyncIterable<string> | (Iterable<string> & object),
    options: SyncAudienceOptions = {},
  ) {
    const { signal, allowStandardTrait = false } = checkCall(options, ['allowStandardTrait']);
    const query = { standardTrait: allowStandardTrait ? 'allow' : undefined };
    return this.#calls.make('PUT /v1/audiences/:name', { signal }, { name }, { query, lines: idLines(userIds) });
  }

  /** Adds some users to an audience and removes others, at most 5,000 together. */
  async changeAudience(name: string, change: MembershipChange, options: CallOptions = {}) {
    const { join = [], leave = [] } = checkChange(change, MEMBERSHIP);
    for (const [index, userId] of join.entries()) checkUserId(`change.join[${index}]`, userId);
    for (const [index, userId] of leave.entries()) checkUserId(`change.leave[${index}]`, userId);
    return this.#calls.make('PATCH /v1/audiences/:name', options, { name }, { fields: { join, leave } });
  }

  /** Removes all members and the audience itself. */
  deleteAudience(name: string, options: CallOptions = {}) {
    return this.#calls.make('DELETE /v1/audiences/:name', options, { name });
  }

  /** Reads one audience. */
  audience(name: string, options: CallOptions = {}) {
    return this.#calls.make('GET /v1/audiences/:name', options, { name });
  }

  /** Lists all audiences, ordered by their traits. */
  audiences(options: ListOptions = {}) {
    return this.#calls.make('GET /v1/audiences', options);
  }

  /**
   * Replaces the values of a computed trait with the list, and creates the trait if it does not exist. Users who are not on the
   * list lose their value; if a user is named twice, the last value counts. The list is sent as fast as the service reads it and
   * never held in memory as a whole, so it may have any length. Resolves when the change is complete.
   *
   * @param values users with any JSON value of at most 2,000 bytes; `null` means that the user has no value
   * @throws OptionError for a wrong id or value, and any error of the list; nothing was changed then
   * @throws AdminConflictError while another change of the trait runs, or when an audience or another computed trait has the same
   * trait
   */
  async syncTrait(name: string, values: AsyncIterable<TraitValue> | Iterable<TraitValue>, options: CallOptions = {}) {
    return this.#calls.make('PUT /v1/traits/:name', options, { name }, { lines: valueLines(values) });
  }

  /** Sets the values of some users and removes those of others, at most 5,000 together. */
  async changeTrait(name: string, change: TraitChange, options: CallOptions = {}) {
    const { set = [], remove = [] } = checkChange(change, VALUES);
    for (const [index, entry] of set.entries()) checkUserValue(`change.set[${index}]`, entry);
    for (const [index, userId] of remove.entries()) checkUserId(`change.remove[${index}]`, userId);
    return this.#calls.make('PATCH /v1/traits/:name', options, { name }, { fields: { set, remove } });
  }

  /** Removes the values of all users and the trait itself. */
  deleteTrait(name: string, options: CallOptions = {}) {
    return this.#calls.make('DELETE /v1/traits/:name', options, { name });
  }

  /** Reads one computed trait. */
  trait(name: string, options: CallOptions = {}) {
    return this.#calls.make('GET /v1/traits/:name', options, { name });
  }

  /** Lists all computed traits in order. */
  traits(options: ListOptions = {}) {
    return this.#calls.make('GET /v1/traits', options);
  }

  /**
   * Requests the deletion of users: the destinations of each source get a notification for each user. Repeating the call after an
   * error sends the notifications again, which endpoints must expect in any case.
   */
  async requestDeletion(userIds: Iterable<string> & object, options: DeletionOptions = {}): Promise<DeletionReport> {
    // The service answers with a preview only if `dryRun` is set.
    return (await this.#askForDeletion(userIds, options)) as DeletionReport;
  }

  /** Counts what a deletion of these users would erase, by source. It deletes nothing. */
  async previewDeletion(userIds: Iterable<string> & object, options: DeletionOptions = {}): Promise<DeletionPreview> {
    return (await this.#askForDeletion(userIds, options, true)) as DeletionPreview;
  }

  /** Reads the progress of a deletion. */
  deletion(id: string, options: CallOptions = {}) {
    return this.#calls.make('GET /v1/deletions/:id', options, { id });
  }

  /** Lists the deletions of the last year, newest first: 100 by default, at most 1,000. */
  deletions(options: ListOptions = {}) {
    return this.#calls.make('GET /v1/deletions', options);
  }

  /**
   * Lists the changes that were made through the API or the page in the last 30 days, newest first: 100 by default, at most
   * 1,000.
   */
  changes(options: ListOptions = {}) {
    return this.#calls.make('GET /v1/changes', options);
  }

  /**
   * Delivers dead letters again: one event by `destination` and `id`, those that match a filter, or all with `all: true`. If this
   * takes the service longer than a second, it answers with a job; the job's `status` is `running` until `job` returns another
   * one.
   */
  replay(which: ReplayRequest & CallOptions) {
    return this.#calls.make('POST /v1/deliveries/replay', which, {}, { example: 'replay({ all: true })' });
  }

  /**
   * Removes dead letters for good or, with `state: 'waiting'`, waiting deliveries. It takes and returns the same as `replay`,
   * without `sendTo`. A request to a webhook that is already running is not stopped.
   */
  discard(which: DiscardRequest & CallOptions) {
    return this.#calls.make('POST /v1/deliveries/discard', which, {}, { example: 'discard({ all: true })' });
  }

  /** Reads the progress of a replay or discard. The service keeps it for a week after its end. */
  job(id: string, options: CallOptions = {}) {
    return this.#calls.make('GET /v1/jobs/:id', options, { id });
  }

  /** Lists the running replays and discards and those of the last week, newest first. */
  jobs(options: ListOptions = {}) {
    return this.#calls.make('GET /v1/jobs', options);
  }

  /** Stops a replay or discard and returns its final state; what is already done stays done. */
  stopJob(id: string, options: CallOptions = {}) {
    return this.#calls.make('DELETE /v1/jobs/:id', options, { id });
  }

  /** Reads the version, configuration, store and event loop delay of the service. */
  status(options: CallOptions = {}) {
    return this.#calls.make('GET /v1/status', options);
  }

  /** Lists the sources that match the query, or all sources, with their counts of the last hour. */
  sources(options: SourceQuery & CallOptions = {}) {
    return this.#calls.make('GET /v1/sources', options);
  }

  /** Reads how many messages of each event a source sent, by hour, newest first: 24 hours by default, at most 720. */
  sourceCounts(name: string, options: CountsOptions = {}) {
    return this.#calls.make('GET /v1/sources/:name/counts', options, { name });
  }

  /** Reads the counts of a source over an hour, a day or a week. */
  sourceHistory(name: string, options: HistoryOptions = {}) {
    return this.#calls.make('GET /v1/sources/:name/history', options, { name });
  }

  /** Reads why messages of a source were rejected, with an example of each reason. */
  rejections(source: string, options: CallOptions = {}) {
    return this.#calls.make('GET /v1/sources/:name/rejections', options, { name: source });
  }

  /** Reads the violations of a source's tracking plan, with an example of each kind. */
  violations(source: string, options: CallOptions = {}) {
    return this.#calls.make('GET /v1/sources/:name/violations', options, { name: source });
  }

  /**
   * Lists all destinations, or those that match the query, with their endpoints and counters, and a summary of all destinations.
   * It includes removed destinations that still hold deliveries; their state is `removed`.
   */
  destinations(options: DestinationQuery & CallOptions = {}) {
    return this.#calls.make('GET /v1/destinations', options);
  }

  /** Reads one destination. */
  destination(name: string, options: CallOptions = {}) {
    return this.#calls.make('GET /v1/destinations/:name', options, { name });
  }

  /** Reads attempts, durations and backlog over an hour, a day or a week. */
  destinationHistory(name: string, options: HistoryOptions = {}) {
    return this.#calls.make('GET /v1/destinations/:name/history', options, { name });
  }

  /** Reads the last 20 kinds of failed attempts in a week, each with an example. */
  destinationErrors(name: string, options: CallOptions = {}) {
    return this.#calls.make('GET /v1/destinations/:name/errors', options, { name });
  }

  /** Pauses or resumes deliveries in all processes. A pause loses no deliveries. */
  setPaused(name: string, paused: boolean, options: CallOptions = {}) {
    return this.#calls.make('PUT /v1/destinations/:name/paused', options, { name }, { fields: { paused } });
  }

  /** Enables or disables a destination in all processes. A disabled one gets no events. */
  setEnabled(name: string, enabled: boolean, options: CallOptions = {}) {
    return this.#calls.make('PUT /v1/destinations/:name/enabled', options, { name }, { fields: { enabled } });
  }

  /** Posts a test event once to each webhook or to one of them, and returns their answers. */
  testDestination(name: string, options: TestRequest & CallOptions = {}) {
    return this.#calls.make('POST /v1/destinations/:name/test', options, { name });
  }

  /**
   * Yields the deliveries that match the filter, reading them page by page: dead letters with `phase: 'dead'`, waiting deliveries
   * with `phase: 'waiting'`, and otherwise recent attempts, newest first.
   */
  async *deliveries(options: DeliveryListOptions = {}): AsyncGenerator<DeliveryReport, void> {
    const { signal, ...filter } = checkCall(options, [...FILTER_OPTIONS, 'phase']);
    let after: string | undefined;
    do {
      const query = { ...filter, limit: PAGE, after };
      const page = await this.#calls.make('GET /v1/deliveries', { signal }, {}, { query });
      yield* page.deliveries;
      after = page.next;
    } while (after !== undefined);
  }

  /** Counts the matching dead letters. An event counts once for each webhook. */
  async countDeadLetters(options: DeliveryFilter & CallOptions = {}): Promise<DeliveryCount> {
    const { signal, ...filter } = checkCall(options, FILTER_OPTIONS);
    const query = { ...filter, phase: 'dead', count: 'true', limit: 1 } as const;
    const { count } = await this.#calls.make('GET /v1/deliveries', { signal }, {}, { query });
    return count ?? { deliveries: 0 };
  }

  /** Explains a message's state and attempts at each destination, by its `messageId`. */
  delivery(id: string, options: CallOptions = {}) {
    return this.#calls.make('GET /v1/deliveries/:id', options, { id });
  }

  async #askForDeletion(userIds: Iterable<string> & object, options: DeletionOptions, dryRun?: true) {
    const { sources, signal } = checkCall(options, ['sources']);
    checkList('userIds', 'user ids', userIds);
    const ids = [...userIds];
    for (const [index, userId] of ids.entries()) checkUserId(`userIds[${index}]`, userId);
    return this.#calls.make('POST /v1/deletions', { signal }, {}, { fields: { userIds: ids, sources, dryRun } });
  }
}
