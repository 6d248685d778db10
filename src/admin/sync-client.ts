import { checkOptions } from '../base/options/check-options.js';
import type { AudienceReport, SyncResult, TraitReport, TraitResult } from '../service/api/audience-answers.js';
import type { MembershipChange, TraitChange, TraitValue } from '../service/api/requests.js';
import type { CallOptions, ListOptions, SyncAudienceOptions } from './admin-options.js';
import { type ApiCalls, json } from './api-calls.js';
import { asQuery, checkChange, MEMBERSHIP, OPTIONS, signalOf, VALUES } from './call-options.js';
import { checkUserId, checkUserValue, idLines, valueLines } from './user-lines.js';

const NDJSON = 'application/x-ndjson';

/** The calls for audiences and computed traits. */
export class SyncClient {
  readonly #calls: ApiCalls;

  /** @internal */
  protected constructor(calls: ApiCalls) {
    this.#calls = calls;
  }

  /**
   * Replaces the members of an audience with the list, and creates the audience if it does not exist. The list is sent as fast as
   * the service reads it and never held in memory as a whole, so it may have any length. Resolves when the change is complete.
   *
   * @throws OptionError for a wrong id, and any error of the list; nothing was changed then
   * @throws AdminConflictError while another change of the audience runs, or when another audience has its trait
   * @throws AdminUnauthorizedError, AdminRefusedError, AdminUnavailableError, AdminConnectionError
   */
  async syncAudience(
    name: string,
    userIds: AsyncIterable<string> | (Iterable<string> & object),
    options: SyncAudienceOptions = {},
  ): Promise<SyncResult> {
    const own = checkOptions<SyncAudienceOptions>(options, OPTIONS.syncAudience, { door: 'admin' });
    const { signal, allowStandardTrait = false } = own;
    const lines = { type: NDJSON, body: idLines(userIds) };
    const query = { standardTrait: allowStandardTrait ? 'allow' : undefined };
    return this.#calls.make('PUT /v1/audiences/:name', { params: { name }, query, ...lines, signal });
  }

  /**
   * Adds some users to an audience and removes others, at most 5,000 together.
   *
   * @throws AdminNotFoundError when the audience does not exist, and the errors of `syncAudience`
   */
  async changeAudience(name: string, change: MembershipChange, options: CallOptions = {}): Promise<SyncResult> {
    const { join = [], leave = [] } = checkChange(change, MEMBERSHIP);
    for (const [index, userId] of join.entries()) checkUserId(`change.join[${index}]`, userId);
    for (const [index, userId] of leave.entries()) checkUserId(`change.leave[${index}]`, userId);
    return this.#calls.make('PATCH /v1/audiences/:name', {
      params: { name },
      ...json({ join, leave }),
      ...signalOf(options),
    });
  }

  /**
   * Removes all members and the audience itself.
   *
   * @throws AdminNotFoundError when the audience does not exist, and the errors of `syncAudience`
   */
  async deleteAudience(name: string, options: CallOptions = {}): Promise<SyncResult> {
    return this.#calls.make('DELETE /v1/audiences/:name', { params: { name }, ...signalOf(options) });
  }

  /** @throws AdminNotFoundError when the audience does not exist, and the errors of `syncAudience` */
  async audience(name: string, options: CallOptions = {}): Promise<AudienceReport> {
    return this.#calls.make('GET /v1/audiences/:name', { params: { name }, ...signalOf(options) });
  }

  /** Lists all audiences, ordered by their traits. @throws the errors of `syncAudience` */
  async audiences(options: ListOptions = {}): Promise<AudienceReport[]> {
    return this.#calls.make('GET /v1/audiences', asQuery(options, OPTIONS.list));
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
   * @throws AdminUnauthorizedError, AdminRefusedError, AdminUnavailableError, AdminConnectionError
   */
  async syncTrait(
    name: string,
    values: AsyncIterable<TraitValue> | Iterable<TraitValue>,
    options: CallOptions = {},
  ): Promise<TraitResult> {
    const lines = { type: NDJSON, body: valueLines(values) };
    return this.#calls.make('PUT /v1/traits/:name', { params: { name }, ...lines, ...signalOf(options) });
  }

  /**
   * Sets the values of some users and removes those of others, at most 5,000 together.
   *
   * @throws AdminNotFoundError when the trait does not exist, and the errors of `syncTrait`
   */
  async changeTrait(name: string, change: TraitChange, options: CallOptions = {}): Promise<TraitResult> {
    const { set = [], remove = [] } = checkChange(change, VALUES);
    for (const [index, entry] of set.entries()) checkUserValue(`change.set[${index}]`, entry);
    for (const [index, userId] of remove.entries()) checkUserId(`change.remove[${index}]`, userId);
    return this.#calls.make('PATCH /v1/traits/:name', {
      params: { name },
      ...json({ set, remove }),
      ...signalOf(options),
    });
  }

  /**
   * Removes the values of all users and the trait itself.
   *
   * @throws AdminNotFoundError when the trait does not exist, and the errors of `syncTrait`
   */
  async deleteTrait(name: string, options: CallOptions = {}): Promise<TraitResult> {
    return this.#calls.make('DELETE /v1/traits/:name', { params: { name }, ...signalOf(options) });
  }

  /** @throws AdminNotFoundError when the trait does not exist, and the errors of `syncTrait` */
  async trait(name: string, options: CallOptions = {}): Promise<TraitReport> {
    return this.#calls.make('GET /v1/traits/:name', { params: { name }, ...signalOf(options) });
  }

  /** Lists all computed traits in order. @throws the errors of `syncTrait` */
  async traits(options: ListOptions = {}): Promise<TraitReport[]> {
    return this.#calls.make('GET /v1/traits', asQuery(options, OPTIONS.list));
  }
}
