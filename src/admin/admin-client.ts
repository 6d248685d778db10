import { describe } from '../protocol/describe.js';
import type { MembershipChange } from '../service/audiences/change.js';
import type { AudienceReport, SyncResult } from '../service/audiences/record.js';
import { type AdminRequest, request } from './admin-request.js';
import { AdminOptionError } from './errors.js';
import { checkUserId, linesOf } from './user-id-lines.js';

export interface AdminClientOptions {
  /** Where the service listens: `http://127.0.0.1:4100`. */
  url: string | URL;
  /** The service's admin token. */
  token: string;
}

export interface CallOptions {
  /** Breaks the call off, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface DeletionOptions extends CallOptions {
  /** The sources whose destinations are told. @default all */
  sources?: readonly string[] | undefined;
}

/** A request that users be deleted. */
export interface DeletionReport {
  id: string;
  /** How many users. */
  users: number;
  /** How many notifications there are to be stored: one for each user and each source. */
  notifications: number;
  status: 'running' | 'done';
  /** When it was asked for: ISO 8601 in UTC with milliseconds. Not in the answer to the request itself. */
  at?: string | undefined;
  sources?: string[] | undefined;
  /** How many notifications are stored. */
  done?: number | undefined;
}

/**
 * Changes audiences, and asks for deletions, at a service that `eventferry serve` runs. Makes each call once: what may be sent again is
 * said at each error. Holds no connection between two calls.
 *
 * @example
 * const admin = new AdminClient({ url: 'http://127.0.0.1:4100', token: process.env.EVENTFERRY_ADMIN_TOKEN ?? '' });
 * const { joined, left } = await admin.syncAudience('High Value Users', ['u1', 'u2']);
 */
export class AdminClient {
  readonly #base: string;
  readonly #token: string;

  /** @throws AdminOptionError */
  constructor(options: AdminClientOptions) {
    if (typeof options !== 'object' || options === null)
      throw new AdminOptionError('options', 'an object', describe(options));
    this.#base = baseOf(options.url);
    this.#token = tokenOf(options.token);
  }

  /**
   * Makes the list the members of the audience, and the audience if there is none. The list is sent as fast as the service takes
   * it and never held as a whole, so it may be of any length. Resolves when all of it is done.
   *
   * @throws AdminOptionError when an id is none, and whatever the list throws: nothing was changed.
   * @throws AdminConflictError while another change of it is under way, or when another audience has its trait.
   * @throws AdminUnauthorizedError, AdminRefusedError, AdminUnavailableError, AdminConnectionError
   */
  async syncAudience(
    name: string,
    userIds: AsyncIterable<string> | Iterable<string>,
    options: CallOptions = {},
  ): Promise<SyncResult> {
    const call = { type: 'application/x-ndjson', body: linesOf(userIds), signal: options.signal };
    return this.#call<SyncResult>('PUT', audiencePath(name), call);
  }

  /**
   * Lets some users join an audience and others leave it, 5,000 together at most.
   *
   * @throws AdminNotFoundError when there is no such audience, and what `syncAudience` throws.
   */
  async changeAudience(name: string, change: MembershipChange, options: CallOptions = {}): Promise<SyncResult> {
    const { join = [], leave = [] } = change;
    for (const [index, userId] of join.entries()) checkUserId(`join[${index}]`, userId);
    for (const [index, userId] of leave.entries()) checkUserId(`leave[${index}]`, userId);
    return this.#call<SyncResult>('PATCH', audiencePath(name), { ...json({ join, leave }), signal: options.signal });
  }

  /**
   * Lets every member leave, and forgets the audience.
   *
   * @throws AdminNotFoundError when there is no such audience, and what `syncAudience` throws.
   */
  async deleteAudience(name: string, options: CallOptions = {}): Promise<SyncResult> {
    return this.#call<SyncResult>('DELETE', audiencePath(name), options);
  }

  /** @throws AdminNotFoundError when there is no such audience, and what `syncAudience` throws. */
  async audience(name: string, options: CallOptions = {}): Promise<AudienceReport> {
    return this.#call<AudienceReport>('GET', audiencePath(name), options);
  }

  /** All audiences, in the order of their traits. @throws what `syncAudience` throws. */
  async audiences(options: CallOptions = {}): Promise<AudienceReport[]> {
    return this.#call<AudienceReport[]>('GET', '/v1/audiences', options);
  }

  /**
   * Asks that users be deleted: each source's destinations get a notification for each user. To ask again after an error makes the
   * notifications again, which endpoints must expect anyway.
   *
   * @throws what `syncAudience` throws.
   */
  async requestDeletion(userIds: Iterable<string>, options: DeletionOptions = {}): Promise<DeletionReport> {
    const { sources, signal } = options;
    const ids = [...userIds];
    for (const [index, userId] of ids.entries()) checkUserId(`userIds[${index}]`, userId);
    return this.#call<DeletionReport>('POST', '/v1/deletions', { ...json({ userIds: ids, sources }), signal });
  }

  /** @throws AdminNotFoundError when there is no such deletion, and what `syncAudience` throws. */
  async deletion(id: string, options: CallOptions = {}): Promise<DeletionReport> {
    return this.#call<DeletionReport>('GET', `/v1/deletions/${segment('id', id)}`, options);
  }

  async #call<T>(
    method: AdminRequest['method'],
    path: string,
    { type, body, signal }: Pick<AdminRequest, 'type' | 'body' | 'signal'>,
  ): Promise<T> {
    const url = new URL(this.#base + path);
    const answer = await request({ method, url, token: this.#token, type, body, signal });
    // The service's word is taken for what it answers.
    return answer as T;
  }
}

const json = (value: object) => ({ type: 'application/json', body: JSON.stringify(value) });

const audiencePath = (name: string): string => `/v1/audiences/${segment('name', name)}`;

/** A part of a path. `.` and `..` are none, in whatever way they are written. */
function segment(option: string, value: unknown): string {
  const isSegment = typeof value === 'string' && !/^\.{0,2}$/.test(value) && !/\p{Surrogate}/u.test(value);
  if (!isSegment) throw new AdminOptionError(option, 'non-empty, well-formed text', describe(value));
  return encodeURIComponent(value);
}

function baseOf(url: unknown): string {
  const text = String(url);
  const base = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = base?.username === '' && base.password === '' && base.search === '' && base.hash === '';
  if (base === undefined || !isPlain || !/^https?:$/.test(base.protocol)) {
    // What is no plain URL may hold a password.
    throw new AdminOptionError('url', 'an http or https URL without credentials, query or fragment', 'another text');
  }
  return base.href.replace(/\/$/, '');
}

function tokenOf(token: unknown): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  const received = typeof token === 'string' ? `a string of ${token.length} characters` : describe(token);
  throw new AdminOptionError('token', 'printable ASCII without spaces', received);
}
