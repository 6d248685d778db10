import { signal } from '@preact/signals';
import type { Api, Route } from '../../../service/api/openapi-types.js';
import { RecentMap } from '../../server/recent.js';
import { withoutEmpty } from '../page-route.js';
import { say } from '../ui/toast.js';

/** The service could not be reached or refused the request. The message is shown to the user of the page. */
export class ApiError extends Error {
  /** The status of the answer; 0 if there was none. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

let signedOut = (): void => {};

/** Sets the function that is called when the session has ended. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener;
}

/** Grows by one whenever a change begins or ends. */
let changes = 0;

/** The maximum number of requests for one question, so that many successive changes do not delay its answer without end. */
const MOST_ASKED = 3;

/** Grows after each change, because what the page shows may be different then. */
export const ended = signal(0);

export type AnswerOf<R extends Route> = Api[R]['answer'];

type Body<R extends Route> = (Api[R] extends { body: infer B } ? B : undefined) & (object | undefined);

/** The values of the variables in a path and of its query. Those without a value are left out. */
export type ApiRequestFields = Readonly<Record<string, string | undefined>>;

/** Reads an answer. It asks again if something changed meanwhile, because an older answer would seem to undo the change. */
export async function get<R extends Route>(
  route: R,
  fields?: ApiRequestFields,
  signal?: AbortSignal,
): Promise<AnswerOf<R>> {
  for (let asked = 1; ; asked++) {
    const before = changes;
    const answer = await ask('GET', pathOf(route, fields), undefined, signal);
    if (changes === before || asked === MOST_ASKED) return answer as AnswerOf<R>;
  }
}

export const send = <R extends Route>(route: R, body?: Body<R>, fields?: ApiRequestFields): Promise<AnswerOf<R>> =>
  call(route.slice(0, route.indexOf(' ')), pathOf(route, fields), body);

/** Makes a call that changes something. The server of `dev` has calls that are not in the table of the API. */
export async function call<T>(method: string, path: string, body?: object): Promise<T> {
  changes++;
  try {
    return (await ask(method, path, body)) as T;
  } finally {
    changes++;
    ended.value++;
  }
}

/** The last answers with their tags, so that the service does not send an unchanged answer again. */
const kept = new RecentMap<{ readonly tag: string; readonly answer: unknown }>(30);

/** @throws ApiError when the answer is not a success, or there is none */
async function ask(method: string, path: string, body?: object, signal?: AbortSignal): Promise<unknown> {
  const known = method === 'GET' ? kept.get(path) : undefined;
  const response = await reach(path, {
    method,
    ...(known !== undefined && { headers: { 'If-None-Match': known.tag } }),
    ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  if (response.status === 304 && known !== undefined) return known.answer;
  const answer = await bodyOf(response);
  const tag = response.headers.get('etag');
  if (response.ok && method === 'GET' && tag !== null) kept.set(path, { tag, answer });
  if (response.ok) return answer;
  // The next user who signs in may be somebody else.
  if (response.status === 401) kept.clear();
  if (response.status === 401 && path !== '/v1/session') signedOut();
  throw new ApiError(response.status, messageOf(answer) ?? `The service answered ${response.status}`);
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    // The path is relative, because a proxy may serve the page below a path.
    return await fetch(`.${path}`, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'The service cannot be reached');
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    throw new ApiError(response.ok ? 0 : response.status, 'The answer of the service cannot be read');
  }
}

function messageOf(answer: unknown): string | undefined {
  const isObject = typeof answer === 'object' && answer !== null && 'message' in answer;
  return isObject && typeof answer.message === 'string' ? answer.message : undefined;
}

/** Returns an error's message as a sentence. */
export const problemOf = (error: unknown): string =>
  `${(error instanceof Error ? error.message : String(error)).replace(/\.$/, '')}.`;

export const sayProblem = (error: unknown): void => say(problemOf(error));

/** Makes a change, and briefly shows that it is done or what went wrong. */
export async function change<R extends Route>(
  route: R,
  body: Body<R>,
  fields: ApiRequestFields,
  said = '',
): Promise<void> {
  try {
    await send(route, body, fields);
    if (said !== '') say(said);
  } catch (error) {
    sayProblem(error);
  }
}

/** Builds the path of a call: `/v1/destinations/My%20shop/history?range=24h`. */
export function pathOf(route: Route, fields: ApiRequestFields = {}): string {
  const query = withoutEmpty(fields);
  const path = route.slice(route.indexOf('/')).replace(/:(\w+)/g, (_, name: string) => {
    const value = query[name] ?? '';
    delete query[name];
    return encodeURIComponent(value);
  });
  const search = String(new URLSearchParams(query));
  return search === '' ? path : `${path}?${search}`;
}
