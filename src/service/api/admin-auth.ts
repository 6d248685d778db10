import type { Context } from 'hono';
import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import type { SessionState } from './answers.js';
import type { EndedSessions } from './ended-sessions.js';
import { isOwnOrigin, isSecure, type PublicAddress } from './public-origin.js';
import { refusals } from './refusals.js';
import { createSession, isSame, readSession, type Session, sessionOf, setSession } from './session.js';

export interface AdminAuthOptions {
  readonly clock: Clock;
  readonly ended: EndedSessions;
  /** Undefined when no one may come in. */
  token(): string | undefined;
  /** Who may read the metrics: who has their token or the admin's, or anybody. */
  metrics(): { readonly token: string | undefined; readonly isOpen: boolean };
  publicAddress(): PublicAddress;
  /** Told of each wrong token. */
  onWrongToken(): void;
}

/** After so many wrong tokens within a minute, each further one is answered late; so many may wait for that. */
const FREE_GUESSES = 10;
const MINUTE_MS = 60_000;
const DELAY_MS = 1_000;
const MOST_DELAYED = 50;

/** How often it is checked whether the session of a stream has ended, in ms. */
const WATCH_MS = 2_000;

const HARMLESS = ['GET', 'HEAD'];

/** Lets in who has the token, or a session that was opened with it. */
export class AdminAuth {
  readonly #options: AdminAuthOptions;
  #wrong = 0;
  #minute = 0;
  #delayed = 0;

  constructor(options: AdminAuthOptions) {
    this.#options = options;
  }

  /** @throws ApiRefusal unless the request may go on */
  async admit(context: Context): Promise<void> {
    const token = this.#token();
    const bearer = bearerOf(context);
    if (bearer !== undefined) return this.#check(bearer, [token]);
    if ((await this.#sessionOf(context)) === undefined) throw refusals.unauthorized();
    if (!HARMLESS.includes(context.req.method) && !isOwnOrigin(context, this.#options.publicAddress()))
      throw refusals.otherOrigin();
  }

  /** @throws ApiRefusal unless the caller may read the metrics */
  async admitScrape(context: Context): Promise<void> {
    const { token, isOpen } = this.#options.metrics();
    if (isOpen && token === undefined) return;
    const tokens = [token, this.#options.token()].filter((one) => one !== undefined);
    if (tokens.length === 0) throw refusals.metricsDisabled();
    const bearer = bearerOf(context);
    if (bearer !== undefined) return this.#check(bearer, tokens);
    if ((await this.#sessionOf(context)) === undefined) throw refusals.unauthorized();
  }

  /**
   * Calls `end` once the session that a long answer was begun with is over, or cannot be checked. A caller with the token
   * itself is not watched.
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

  /** What the page has to know before a sign-in. Holds no secret. */
  async stateOf(context: Context): Promise<SessionState> {
    const signedIn = (await this.#sessionOf(context)) !== undefined;
    return { signedIn, enabled: this.#options.token() !== undefined };
  }

  /** Gives a session to who has the token. @throws ApiRefusal */
  async open(context: Context, given: string): Promise<void> {
    const token = this.#token();
    await this.#check(given, [token]);
    this.#setCookie(context, createSession(token, this.#now()));
  }

  /** Ends the session that the request came with, if there is one, in every process. */
  async leave(context: Context): Promise<void> {
    const session = this.#signedSessionOf(context);
    if (session !== undefined) await this.#options.ended.add(session);
    this.#setCookie(context, '');
  }

  #setCookie(context: Context, session: string): void {
    setSession(context, session, isSecure(context, this.#options.publicAddress()));
  }

  /** The store is asked only about what we signed: guesses do not reach it. */
  async #sessionOf(context: Context): Promise<Session | undefined> {
    const session = this.#signedSessionOf(context);
    return session === undefined || (await this.#options.ended.has(session)) ? undefined : session;
  }

  #signedSessionOf(context: Context): Session | undefined {
    const token = this.#options.token();
    const value = sessionOf(context);
    return token === undefined || value === undefined ? undefined : readSession(value, token, this.#now());
  }

  #now(): number {
    return this.#options.clock.wall();
  }

  #token(): string {
    const token = this.#options.token();
    if (token === undefined) throw refusals.adminDisabled();
    return token;
  }

  /** A caller with a right token never waits, so that guesses of others lock no one out. */
  async #check(given: string, tokens: readonly string[]): Promise<void> {
    if (tokens.some((token) => isSame(given, token))) return;
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
