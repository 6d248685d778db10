import { getCookie } from 'hono/cookie';
import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import type { AdminTokenConfig, ServiceConfig } from '../config/service-config.js';
import type { AdminContext as Context } from './admin-router.js';
import type { SessionState } from './answer-types.js';
import type { EndedSessions } from './ended-sessions.js';
import { isOwnOrigin, isSecure, publicPath } from './public-origin.js';
import { refusals } from './refusals.js';
import { COOKIE, createSession, isSame, readSession, type Session, setSession } from './session.js';

export interface AdminAuthOptions {
  readonly clock: Clock;
  readonly ended: EndedSessions;
  /** The configuration in use. */
  config(): ServiceConfig;
  /** Called for each wrong token. */
  onWrongToken(): void;
}

/** From the eleventh wrong token in a minute on, answers are delayed by a second. At most fifty wait; others are refused. */
const FREE_GUESSES = 10;
const MINUTE_MS = 60_000;
const DELAY_MS = 1_000;
const MOST_DELAYED = 50;

/** The interval in ms at which a stream checks whether its session has ended. */
const WATCH_MS = 2_000;

const HARMLESS = ['GET', 'HEAD'];

/** A session, and the owner of the token that opened it. */
interface OpenSession {
  readonly session: Session;
  readonly caller: AdminTokenConfig;
}

/** Lets in callers that have a token, or a session that was opened with one. */
export class AdminAuth {
  readonly #options: AdminAuthOptions;
  #wrong = 0;
  #minute = 0;
  #delayed = 0;

  constructor(options: AdminAuthOptions) {
    this.#options = options;
  }

  /** Records the name of the token that admitted the request. @throws ApiRefusal unless the request is allowed */
  async admit(context: Context): Promise<void> {
    const tokens = this.#someTokens();
    const isHarmless = HARMLESS.includes(context.req.method);
    const bearer = bearerOf(context);
    const caller = bearer === undefined ? (await this.#sessionOf(context))?.caller : await this.#check(bearer, tokens);
    if (caller === undefined) throw refusals.unauthorized();
    if (bearer === undefined && !isHarmless && !isOwnOrigin(context, this.#options.config().admin))
      throw refusals.otherOrigin();
    if (!isHarmless && caller.readOnly === true) throw refusals.readOnly(caller.name);
    context.set('caller', caller.name);
  }

  /** @throws ApiRefusal unless the caller may read the metrics */
  async admitScrape(context: Context): Promise<void> {
    const { token } = this.#options.config().metrics;
    const own = token === undefined ? [] : [{ name: 'metrics', token }];
    const tokens = [...own, ...this.#tokens()];
    if (tokens.length === 0) throw refusals.metricsDisabled();
    const bearer = bearerOf(context);
    if (bearer !== undefined) return void (await this.#check(bearer, tokens));
    if ((await this.#sessionOf(context)) === undefined) throw refusals.unauthorized();
  }

  /**
   * Calls `end` when the session that opened a long-lived answer has ended or cannot be checked. Callers that sent a token are
   * not watched.
   *
   * @returns what stops watching
   */
  watch(context: Context, end: () => void): () => void {
    if (bearerOf(context) !== undefined) return () => {};
    const act = async (): Promise<void> => {
      if ((await this.#sessionOf(context)) === undefined) end();
    };
    return startInterval({ clock: this.#options.clock, everyMs: WATCH_MS, act, onError: end });
  }

  /** Returns what the page needs to know before the user signs in. It contains no secret. */
  async stateOf(context: Context): Promise<SessionState> {
    const session = await this.#sessionOf(context);
    const enabled = this.#tokens().length > 0;
    return { signedIn: session !== undefined, enabled, readOnly: session?.caller.readOnly === true };
  }

  /** Opens a session for a caller who has a token. @throws ApiRefusal */
  async open(context: Context, given: string): Promise<void> {
    const { token } = await this.#check(given, this.#someTokens());
    this.#setCookie(context, createSession(token, this.#options.clock.wall()));
  }

  /** Ends the session that the request belongs to, if any, in every process. */
  async leave(context: Context): Promise<void> {
    const session = this.#signedSessionOf(context);
    if (session !== undefined) await this.#options.ended.add(session.session);
    this.#setCookie(context, '');
  }

  #setCookie(context: Context, session: string): void {
    const { admin } = this.#options.config();
    setSession(context, session, { secure: isSecure(context, admin), path: publicPath(admin) });
  }

  /** Returns the session of the request. It asks the store only about signed sessions, so a guessed cookie causes no read. */
  async #sessionOf(context: Context): Promise<OpenSession | undefined> {
    const found = this.#signedSessionOf(context);
    return found === undefined || (await this.#options.ended.has(found.session)) ? undefined : found;
  }

  #signedSessionOf(context: Context): OpenSession | undefined {
    const value = getCookie(context, COOKIE);
    if (value === undefined) return undefined;
    for (const caller of this.#tokens()) {
      const session = readSession(value, caller.token, this.#options.clock.wall());
      if (session !== undefined) return { session, caller };
    }
    return undefined;
  }

  /** Returns all admin tokens. `admin.token` has the name `admin`. */
  #tokens(): readonly AdminTokenConfig[] {
    const { token, tokens = [] } = this.#options.config().admin;
    return token === undefined ? tokens : [{ name: 'admin', token }, ...tokens];
  }

  /** @throws ApiRefusal when no token is configured, because then nobody may call the API */
  #someTokens(): readonly AdminTokenConfig[] {
    const tokens = this.#tokens();
    if (tokens.length === 0) throw refusals.adminDisabled();
    return tokens;
  }

  /** Finds the owner of a token. A caller with a right token never waits, so that the guesses of others lock no one out. */
  async #check(given: string, tokens: readonly AdminTokenConfig[]): Promise<AdminTokenConfig> {
    const caller = tokens.find(({ token }) => isSame(given, token));
    if (caller !== undefined) return caller;
    this.#options.onWrongToken();
    if (this.#isGuessing()) await this.#delay();
    throw refusals.unauthorized();
  }

  #isGuessing(): boolean {
    const minute = Math.floor(this.#options.clock.now() / MINUTE_MS);
    if (minute !== this.#minute) this.#wrong = 0;
    this.#minute = minute;
    return ++this.#wrong > FREE_GUESSES;
  }

  async #delay(): Promise<void> {
    if (this.#delayed >= MOST_DELAYED) throw refusals.tooManyWrong();
    this.#delayed++;
    await new Promise<void>((resolve) => this.#options.clock.after(DELAY_MS, resolve));
    this.#delayed--;
  }
}

const bearerOf = ({ req }: Context): string | undefined =>
  /^bearer +(\S+) *$/i.exec(req.header('authorization') ?? '')?.[1];
