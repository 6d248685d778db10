import { checkOptions } from '../base/options/check-options.js';
import type { AudienceReport, SyncResult, TraitReport, TraitResult } from '../service/api/audience-answers.js';
import type { MembershipChange, TraitChange, TraitValue } from '../service/api/requests.js';
import type { CallOptions, ListOptions, SyncAudienceOptions } from './admin-options.js';
import { type ApiCalls, json } from './api-calls.js';
import { asQuery, checkChange, MEMBERSHIP, OPTIONS, signalOf, VALUES } from './call-options.js';
import { checkUserId, checkUserValue, idLines, valueLines } from './user-lines.js';

const NDJSON = 'application/x-ndjson';

/** The calls of audiences and computed traits. */
export class SyncClient {
  readonly #calls: ApiCalls;

  /** @internal */
  protected constructor(calls: ApiCalls) {
    this.#calls = calls;
  }

  /**
   * Makes the list the members of the audience, and the audience if there is none. The list is sent as fast as the service takes
   * it and never held as a whole, so it may be of any length. Resolves when all of it is done.
   *
   * @throws OptionError for a wrong id, and what the list throws: nothing was changed.
   * @throws AdminConflictError while another change of it runs, or when another audience has its trait.
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
   * Lets some users join an audience and others leave it, 5,000 together at most.
   *
   * @throws AdminNotFoundError when there is no such audience, and what `syncAudience` throws.
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
   * Lets every member leave, and forgets the audience.
   *
   * @throws AdminNotFoundError when there is no such audience, and what `syncAudience` throws.
   */
  async deleteAudience(name: string, options: CallOptions = {}): Promise<SyncResult> {
    return this.#calls.make('DELETE /v1/audiences/:name', { params: { name }, ...signalOf(options) });
  }

  /** @throws AdminNotFoundError when there is no such audience, and what `syncAudience` throws. */
  async audience(name: string, options: CallOptions = {}): Promise<AudienceReport> {
    return this.#calls.make('GET /v1/audiences/:name', { params: { name }, ...signalOf(options) });
  }

  /** All audiences, in the order of their traits. @throws what `syncAudience` throws. */
  async audiences(options: ListOptions = {}): Promise<AudienceReport[]> {
    return this.#calls.make('GET /v1/audiences', asQuery(options, OPTIONS.list));
  }

  /**
   * Makes the list the values of the computed trait, and the trait if there is none: users who are not on it lose their value, and
   * of a user it names twice the last value counts. The list is sent as fast as the service takes it and never held as a whole, so
   * it may be of any length. Resolves when all of it is done.
   *
   * @param values users with any JSON value of at most 2,000 bytes; `null` says that the user has none
   * @throws OptionError for a wrong id or value, and what the list throws: nothing was changed.
   * @throws AdminConflictError while another change of it runs, or when an audience or another computed trait has its trait.
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
   * Sets the values of some users and removes those of others, 5,000 together at most.
   *
   * @throws AdminNotFoundError when there is no such trait, and what `syncTrait` throws.
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
   * Removes the value of every user, and the trait.
   *
   * @throws AdminNotFoundError when there is no such trait, and what `syncTrait` throws.
   */
  async deleteTrait(name: string, options: CallOptions = {}): Promise<TraitResult> {
    return this.#calls.make('DELETE /v1/traits/:name', { params: { name }, ...signalOf(options) });
  }

  /** @throws AdminNotFoundError when there is no such trait, and what `syncTrait` throws. */
  async trait(name: string, options: CallOptions = {}): Promise<TraitReport> {
    return this.#calls.make('GET /v1/traits/:name', { params: { name }, ...signalOf(options) });
  }

  /** All computed traits, in their order. @throws what `syncTrait` throws. */
  async traits(options: ListOptions = {}): Promise<TraitReport[]> {
    return this.#calls.make('GET /v1/traits', asQuery(options, OPTIONS.list));
  }
}
