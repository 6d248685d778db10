import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../destination/clock.js';
import { refusals } from './refusals.js';
import { createSession, isSame, isSession, sessionOf } from './session.js';

export interface GateOptions {
  readonly clock: Clock;
  /** Undefined when nobody may come in. */
  token(): string | undefined;
}

/** What the gate has to know of a request. */
export interface Visitor {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** After so many wrong tokens within a minute, each further one is answered late; so many may wait for that. */
const FREE_GUESSES = 10;
const MINUTE_MS = 60_000;
const DELAY_MS = 1_000;
const MOST_DELAYED = 50;

const HARMLESS = ['GET', 'HEAD'];

/** Lets in who has the token, or a session that was opened with it. */
export class Gate {
  readonly #options: GateOptions;
  #wrong = 0;
  #minute = 0;
  #delayed = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** @throws ApiRefusal unless the request may go on */
  async admit(visitor: Visitor): Promise<void> {
    const token = this.#token();
    const bearer = /^bearer +(\S+) *$/i.exec(visitor.headers.authorization ?? '')?.[1];
    if (bearer !== undefined) return this.#check(bearer, token);
    const session = sessionOf(visitor.headers.cookie);
    if (session === undefined || !isSession(session, token, this.#now())) throw refusals.unauthorized();
    if (!HARMLESS.includes(visitor.method) && !isOwnOrigin(visitor.headers)) throw refusals.otherOrigin();
  }

  /** What the page has to know before somebody has signed in. Holds no secret. */
  stateOf({ cookie }: IncomingHttpHeaders): { signedIn: boolean; enabled: boolean } {
    const token = this.#options.token();
    const session = sessionOf(cookie);
    const isSignedIn = token !== undefined && session !== undefined && isSession(session, token, this.#now());
    return { signedIn: isSignedIn, enabled: token !== undefined };
  }

  /** A session for who has the token. @throws ApiRefusal */
  async open(given: string): Promise<string> {
    const token = this.#token();
    await this.#check(given, token);
    return createSession(token, this.#now());
  }

  #now(): number {
    return this.#options.clock.wall();
  }

  #token(): string {
    const token = this.#options.token();
    if (token === undefined) throw refusals.adminDisabled();
    return token;
  }

  /** Who has the right token is never made to wait, so that nobody can be locked out by the guesses of another. */
  async #check(given: string, token: string): Promise<void> {
    if (isSame(given, token)) return;
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

/** Whether a browser says that our own page asked. A page of another site, or none, has another origin or names none. */
function isOwnOrigin({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === host.toLowerCase();
}
