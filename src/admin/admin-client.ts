import { anything, checkOptions, type Rules, required } from '../check-options.js';
import { describe } from '../describe.js';
import { OptionError } from '../errors.js';
import type {
  AudienceReport,
  DeadLetter,
  DeadLetterFilter,
  DeadLetterWithBody,
  DeletionReport,
  DestinationReport,
  LetterChange,
  LetterJob,
  RequestedDeletion,
  SyncResult,
} from '../service/api/answers.js';
import type {
  DeliveryExplanation,
  DeliveryQuery,
  RecentDelivery,
  TestRequest,
  TestResult,
} from '../service/api/delivery-answers.js';
import type { Api, DiscardRequest, MembershipChange, ReplayRequest, Route } from '../service/api/types.js';
import { type AdminRequest, request } from './admin-request.js';
import { checkUserId, linesOf } from './user-id-lines.js';

export interface AdminClientOptions {
  /** Where the service listens: `http://127.0.0.1:4100`. */
  url: string | URL;
  /** The service's admin token. */
  token: string;
}

const RULES: Rules<AdminClientOptions> = {
  url: required({ ...anything, expected: 'an http or https URL without credentials, query or fragment' }),
  token: required({ ...anything, expected: 'printable ASCII without spaces' }),
};

export interface CallOptions {
  /** Breaks the call off, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface DeletionOptions extends CallOptions {
  /** The sources whose destinations are told. @default all */
  sources?: readonly string[] | undefined;
}

/** Which recent deliveries: those for which all of it holds. */
export type DeliveryFilter = Omit<DeliveryQuery, 'limit' | 'after'>;

/** How many dead letters or deliveries are asked for at once. */
const PAGE = 500;

/**
 * Changes audiences, watches and switches destinations, replays and discards dead letters, and asks for deletions, at a service that
 * `eventferry serve` or a `Service` of your own runs. Makes each call once: each error says whether to make it again. Holds no connection between two calls.
 *
 * @example
 * const admin = new AdminClient({ url: 'http://127.0.0.1:4100', token: process.env.EVENTFERRY_ADMIN_TOKEN ?? '' });
 * const { joined, left } = await admin.syncAudience('High Value Users', ['u1', 'u2']);
 */
export class AdminClient {
  readonly #base: string;
  readonly #token: string;

  /** @throws OptionError */
  constructor(options: AdminClientOptions) {
    checkOptions(options, RULES, { door: 'admin', example: 'new AdminClient({ url, token })' });
    this.#base = baseOf(options.url);
    this.#token = tokenOf(options.token);
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
    userIds: AsyncIterable<string> | Iterable<string>,
    { signal }: CallOptions = {},
  ): Promise<SyncResult> {
    const lines = { type: 'application/x-ndjson', body: linesOf(userIds) };
    return this.#call('PUT /v1/audiences/:name', { params: { name }, ...lines, signal });
  }

  /**
   * Lets some users join an audience and others leave it, 5,000 together at most.
   *
   * @throws AdminNotFoundError when there is no such audience, and what `syncAudience` throws.
   */
  async changeAudience(name: string, change: MembershipChange, { signal }: CallOptions = {}): Promise<SyncResult> {
    const { join = [], leave = [] } = change;
    for (const [index, userId] of join.entries()) checkUserId(`join[${index}]`, userId);
    for (const [index, userId] of leave.entries()) checkUserId(`leave[${index}]`, userId);
    return this.#call('PATCH /v1/audiences/:name', { params: { name }, ...json({ join, leave }), signal });
  }

  /**
   * Lets every member leave, and forgets the audience.
   *
   * @throws AdminNotFoundError when there is no such audience, and what `syncAudience` throws.
   */
  async deleteAudience(name: string, { signal }: CallOptions = {}): Promise<SyncResult> {
    return this.#call('DELETE /v1/audiences/:name', { params: { name }, signal });
  }

  /** @throws AdminNotFoundError when there is no such audience, and what `syncAudience` throws. */
  async audience(name: string, { signal }: CallOptions = {}): Promise<AudienceReport> {
    return this.#call('GET /v1/audiences/:name', { params: { name }, signal });
  }

  /** All audiences, in the order of their traits. @throws what `syncAudience` throws. */
  async audiences({ signal }: CallOptions = {}): Promise<AudienceReport[]> {
    return this.#call('GET /v1/audiences', { signal });
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
    return this.#call('POST /v1/deletions', { ...json({ userIds: ids, sources }), signal });
  }

  /** @throws AdminNotFoundError when there is no such deletion, and what `syncAudience` throws. */
  async deletion(id: string, { signal }: CallOptions = {}): Promise<DeletionReport> {
    return this.#call('GET /v1/deletions/:id', { params: { id }, signal });
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
      const page = await this.#call('GET /v1/destinations/:name/dead-letters', {
        params: { name: destination },
        query,
        signal,
      });
      yield* page.letters;
      after = page.next;
    } while (after !== undefined);
  }

  /**
   * One dead letter, with its message.
   *
   * @throws AdminNotFoundError when there is no such destination or dead letter, and what `syncAudience` throws.
   */
  async deadLetter(destination: string, id: string, { signal }: CallOptions = {}): Promise<DeadLetterWithBody> {
    const params = { name: destination, id };
    return this.#call('GET /v1/destinations/:name/dead-letters/:id', { params, signal });
  }

  /**
   * Lets the deliveries of dead letters begin anew: of one by `id`, of those that a filter means, or of `all: true`. A service that
   * needs more than a second for many answers with a job, whose `status` is `running` until `letterJob` says otherwise.
   *
   * @throws AdminNotFoundError when there is no such destination, and what `syncAudience` throws.
   */
  async replay(destination: string, { signal, ...which }: ReplayRequest & CallOptions): Promise<LetterChange> {
    const params = { name: destination };
    return this.#call('POST /v1/destinations/:name/replay', { params, ...json(which), signal });
  }

  /** Removes dead letters for good. Takes and gives what `replay` does, without `sendTo`. */
  async discard(destination: string, { signal, ...which }: DiscardRequest & CallOptions): Promise<LetterChange> {
    const params = { name: destination };
    return this.#call('POST /v1/destinations/:name/discard', { params, ...json(which), signal });
  }

  /**
   * How far a replay or discard is. The service knows it for a week after its end.
   *
   * @throws AdminNotFoundError when there is no such destination or job, and what `syncAudience` throws.
   */
  async letterJob(destination: string, id: string, { signal }: CallOptions = {}): Promise<LetterJob> {
    return this.#call('GET /v1/destinations/:name/jobs/:id', { params: { name: destination, id }, signal });
  }

  /** The replays and discards that run, and those of the last week, the newest first. @throws what `letterJob` throws. */
  async letterJobs(destination: string, { signal }: CallOptions = {}): Promise<LetterJob[]> {
    return this.#call('GET /v1/destinations/:name/jobs', { params: { name: destination }, signal });
  }

  /** Stops a replay or discard; what is done stays done. Gives how it is then. @throws what `letterJob` throws. */
  async stopLetterJob(destination: string, id: string, { signal }: CallOptions = {}): Promise<LetterJob> {
    return this.#call('DELETE /v1/destinations/:name/jobs/:id', { params: { name: destination, id }, signal });
  }

  /** All destinations, with their endpoints and counters. @throws what `syncAudience` throws. */
  async destinations({ signal }: CallOptions = {}): Promise<DestinationReport[]> {
    return this.#call('GET /v1/destinations', { signal });
  }

  /** @throws AdminNotFoundError when there is no such destination, and what `syncAudience` throws. */
  async destination(name: string, { signal }: CallOptions = {}): Promise<DestinationReport> {
    return this.#call('GET /v1/destinations/:name', { params: { name }, signal });
  }

  /** Pauses or resumes deliveries, in all processes. What waits and what comes stays. @throws what `destination` throws. */
  async setPaused(name: string, paused: boolean, { signal }: CallOptions = {}): Promise<DestinationReport> {
    return this.#call('PUT /v1/destinations/:name/paused', { params: { name }, ...json({ paused }), signal });
  }

  /** Switches a destination on or off, in all processes. While it is off it takes no events. @throws what `destination` throws. */
  async setEnabled(name: string, enabled: boolean, { signal }: CallOptions = {}): Promise<DestinationReport> {
    return this.#call('PUT /v1/destinations/:name/enabled', { params: { name }, ...json({ enabled }), signal });
  }

  /** Posts a test event once to each webhook, or to one, and gives their answers. @throws what `destination` throws. */
  async testDestination(name: string, { signal, ...test }: TestRequest & CallOptions = {}): Promise<TestResult[]> {
    return this.#call('POST /v1/destinations/:name/test', { params: { name }, ...json(test), signal });
  }

  /** What was attempted lately and fits the filter, the latest first, page by page. @throws what `syncAudience` throws. */
  async *deliveries({ signal, ...filter }: DeliveryFilter & CallOptions = {}): AsyncGenerator<RecentDelivery, void> {
    let after: string | undefined;
    do {
      const page = await this.#call('GET /v1/deliveries', { query: { ...filter, limit: PAGE, after }, signal });
      yield* page.deliveries;
      after = page.next;
    } while (after !== undefined);
  }

  /** Where a message stands at each destination, by its `messageId`, with each attempt. @throws what `destination` throws. */
  async delivery(id: string, { signal }: CallOptions = {}): Promise<DeliveryExplanation[]> {
    return this.#call('GET /v1/deliveries/:id', { params: { id }, signal });
  }

  async #call<R extends Route>(
    route: R,
    { params = {}, query, ...rest }: Target & Pick<AdminRequest, 'type' | 'body' | 'signal'>,
  ): Promise<Api[R]['answer']> {
    const [method, path] = route.split(' ') as [AdminRequest['method'], string];
    const url = new URL(this.#base + path.replace(/:(\w+)/g, (_, name: string) => segment(name, params[name])));
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value));
    // The service's word is taken for what it answers.
    return (await request({ method, url, token: this.#token, ...rest })) as Api[R]['answer'];
  }
}

interface Target {
  /** What stands in the path: of `/v1/audiences/:name` the `name`. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
}

const json = (value: object) => ({ type: 'application/json', body: JSON.stringify(value) });

/** A part of a path. `.` and `..` are none, however they are written. */
function segment(option: string, value: unknown): string {
  const isSegment = typeof value === 'string' && !/^\.{0,2}$/.test(value) && !/\p{Surrogate}/u.test(value);
  if (!isSegment) throw new OptionError('admin', option, 'non-empty, well-formed text', describe(value));
  return encodeURIComponent(value);
}

function baseOf(url: unknown): string {
  const text = String(url);
  const base = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = base?.username === '' && base.password === '' && base.search === '' && base.hash === '';
  if (base === undefined || !isPlain || !/^https?:$/.test(base.protocol)) {
    // What is no plain URL may hold a password.
    throw new OptionError(
      'admin',
      'url',
      'an http or https URL without credentials, query or fragment',
      'another text',
    );
  }
  return base.href.replace(/\/$/, '');
}

function tokenOf(token: unknown): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  const received = typeof token === 'string' ? `a string of ${token.length} characters` : describe(token);
  throw new OptionError('admin', 'token', 'printable ASCII without spaces', received);
}
