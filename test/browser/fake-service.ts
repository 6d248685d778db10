import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOn } from '../../src/cli/listen/listen-on.js';
import { buildPage } from '../../src/dashboard/page/build.js';
import { Feed } from '../../src/dashboard/server/live-feed.js';
import { pageHeaders, servicePage } from '../../src/dashboard/server/page-response.js';
import { streamFeed } from '../../src/dashboard/server/stream.js';
import { answerTo, type Call } from './fake-answers.js';
import { type Holdings, holdings } from './fake-holdings.js';

export const TOKEN = 'a-token-of-the-admin';

export interface FakeService {
  readonly url: string;
  /** The data that it answers with. A test may change it. */
  readonly holdings: Holdings;
  readonly feed: Feed;
  /** The requests that change something, with their bodies. */
  readonly changes: readonly { readonly call: string; readonly body: unknown }[];
  /** How often each call was made: `GET /v1/sources`. */
  readonly calls: ReadonlyMap<string, number>;
  /** How often the page was told that it already has the current answer. */
  readonly unchanged: ReadonlyMap<string, number>;
  /** Answers a call with an error from now on or, if `status` is undefined, normally again. */
  fail(call: string, status?: number, message?: string): void;
  /** Holds back the next answer to a call, as it is now, until the returned function is called. */
  hold(call: string): () => void;
  /** Ends all sessions. */
  endSessions(): void;
  close(): Promise<void>;
}

interface Asked {
  readonly call: string;
  readonly url: URL;
  readonly session: string;
  readonly body: Call['body'];
}

type Act = (asked: Asked, request: IncomingMessage, response: ServerResponse) => void;

const html = servicePage(await buildPage());

/** Starts a server with the part of the HTTP API of `eventferry serve` that the page uses, without a real service behind it. */
export async function startFakeService(given: Partial<Holdings> = {}): Promise<FakeService> {
  const held: Holdings = { ...holdings(Date.now()), ...given };
  const feed = new Feed();
  const sessions = new Set<string>();
  const failures = new Map<string, { status: number; message: string }>();
  const changes: { call: string; body: unknown }[] = [];
  const calls = new Map<string, number>();
  const unchanged = new Map<string, number>();
  const holds = new Map<string, Promise<void>>();

  const open: Readonly<Record<string, Act>> = {
    'GET /': (_, __, response) => response.writeHead(200, pageHeaders(html)).end(html),
    'GET /v1/session': ({ session }, _, response) =>
      json(response, 200, { signedIn: sessions.has(session), enabled: held.enabled, readOnly: held.readOnly }),
    'POST /v1/session': ({ body }, _, response) => {
      if (body['token'] !== TOKEN) return refuse(response, 401, 'This is not the token.');
      const session = `s${sessions.size + 1}`;
      sessions.add(session);
      response.writeHead(204, { 'Set-Cookie': `session=${session}; HttpOnly; SameSite=Strict; Path=/` }).end();
    },
  };
  const closed: Readonly<Record<string, Act>> = {
    'DELETE /v1/session': ({ session }, _, response) => {
      sessions.delete(session);
      response.writeHead(204).end();
    },
    'GET /v1/feed': (_, request, response) => streamFeed(feed, request, response, { snippet: [], isForwarding: true }),
  };
  const otherwise: Act = ({ call, url, body }, request, response) => {
    const { method } = request;
    if (method !== 'GET') changes.push({ call, body });
    const answer = answerTo(held, { method, url }, body);
    if (answer === undefined) return refuse(response, 404, 'There is none.');
    const text = JSON.stringify(answer);
    const isFree = holds.get(call) ?? Promise.resolve();
    holds.delete(call);
    const tag = `"${createHash('sha1').update(text).digest('hex')}"`;
    isFree.then(() => {
      response.setHeader('ETag', tag);
      if (request.headers['if-none-match'] !== tag)
        return write(response, call === 'POST /v1/deletions' ? 202 : 200, text);
      unchanged.set(call, (unchanged.get(call) ?? 0) + 1);
      return write(response, 304, '');
    });
  };
  const answer: Act = (asked, request, response) => {
    const { call, session } = asked;
    calls.set(call, (calls.get(call) ?? 0) + 1);
    const failure = failures.get(call);
    if (failure !== undefined) refuse(response, failure.status, failure.message);
    else if (open[call] !== undefined) open[call](asked, request, response);
    else if (!sessions.has(session)) refuse(response, 401, 'Sign in.');
    else (closed[call] ?? otherwise)(asked, request, response);
  };

  const server = createServer((request, response) => {
    read(request).then(
      (asked) => answer(asked, request, response),
      (error) => refuse(response, 500, String(error)),
    );
  });
  const port = await listenOn(server, { port: 0, host: '127.0.0.1' });
  return {
    url: `http://127.0.0.1:${port}`,
    holdings: held,
    feed,
    changes,
    calls,
    unchanged,
    fail(call, status, message = 'Something is wrong.') {
      if (status === undefined) failures.delete(call);
      else failures.set(call, { status, message });
    },
    hold(call) {
      let release = (): void => {};
      holds.set(
        call,
        new Promise((resolve) => {
          release = resolve;
        }),
      );
      return () => release();
    },
    endSessions: () => sessions.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(request: IncomingMessage): Promise<Asked> {
  const url = new URL(request.url ?? '/', 'http://service');
  let text = '';
  for await (const chunk of request) text += chunk;
  return {
    call: `${request.method} ${decodeURIComponent(url.pathname)}`,
    url,
    session: /(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '',
    body: text === '' ? {} : JSON.parse(text),
  };
}

const refuse = (response: ServerResponse, status: number, message: string): void =>
  json(response, status, { code: 'refused', message });

const json = (response: ServerResponse, status: number, body: unknown): void =>
  write(response, status, JSON.stringify(body));

function write(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(text);
}
