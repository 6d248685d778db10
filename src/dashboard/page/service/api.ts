import { RecentMap } from '../../server/recent.js';
import { say } from '../ui/toast.js';

/** The service could not be reached or has refused. The message is for the user of the page. */
export class ApiError extends Error {
  /** The status of the answer; 0 without one. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

let signedOut = (): void => {};

/** Calls `listener` when the session has ended. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener;
}

/** Counts the beginnings and ends of changes. */
let changes = 0;

/** A question is asked so often at most, as many changes may follow one another. */
const MOST_ASKED = 3;

/** Asks again when something changed meanwhile, as an older answer would seem to undo the change. */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  for (let asked = 1; ; asked++) {
    const before = changes;
    const answer = await ask('GET', path, undefined, signal);
    if (changes === before || asked === MOST_ASKED) return answer as T;
  }
}

export async function send<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<T> {
  changes++;
  try {
    return (await ask(method, path, body)) as T;
  } finally {
    changes++;
  }
}

interface Kept {
  readonly tag: string;
  readonly answer: unknown;
}

/** Keeps the last answers, so that the service does not send one again that has not changed. */
const kept = new RecentMap<Kept>(30);

function keep(path: string, { headers }: Response, answer: unknown): void {
  const tag = headers.get('etag');
  if (tag === null) kept.delete(path);
  else kept.set(path, { tag, answer });
}

/** @throws ApiError for any answer but success, and without an answer */
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
  if (response.ok && method === 'GET') keep(path, response, answer);
  if (response.ok) return answer;
  // The next one who signs in may be somebody else.
  if (response.status === 401) kept.clear();
  if (response.status === 401 && path !== '/v1/session') signedOut();
  throw new ApiError(response.status, messageOf(answer) ?? `The service answered ${response.status}`);
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    // The page may be below a path of a proxy.
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

/** Describes an error in a sentence. */
export const problemOf = (error: unknown): string =>
  `${(error instanceof Error ? error.message : String(error)).replace(/\.$/, '')}.`;

export const sayProblem = (error: unknown): void => say(problemOf(error));

/** Makes a change, and says for a moment that it is done, or what went wrong. */
export async function change(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object, said = ''): Promise<void> {
  try {
    await send(method, path, body);
    if (said !== '') say(said);
  } catch (error) {
    sayProblem(error);
  }
}

/** Builds `/v1/destinations/My%20shop/history`. */
export const pathOf = (...parts: readonly string[]): string => `/v1/${parts.map(encodeURIComponent).join('/')}`;

type Fields = Readonly<Record<string, string | undefined>>;

/** Leaves out the fields without a value. */
export const setOf = (fields: Fields): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => Boolean(field[1])));

export function withQuery(path: string, fields: Fields): string {
  const query = String(new URLSearchParams(setOf(fields)));
  return query === '' ? path : `${path}?${query}`;
}
