import type { Agent } from 'undici';
import type { Clock } from './clock.js';
import { type Answer, TIMEOUT_CODE } from './outcome.js';

/** How much of an answer's body is read before the connection is given up. Nothing of it is kept. */
const MAX_ANSWER_BYTES = 16 * 1024;

export interface Post {
  readonly agent: Agent;
  readonly clock: Clock;
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
  /** From the first step towards a connection to the last byte of the answer that is read. */
  readonly timeoutMs: number;
}

/** One POST. Follows no redirect, and never throws: what went wrong is an answer too. */
export async function post({ agent, clock, url, headers, body, timeoutMs }: Post): Promise<Answer> {
  const deadline = new AbortController();
  const disarm = clock.after(timeoutMs, () => deadline.abort());
  try {
    const { origin, pathname, search } = url;
    const path = pathname + search;
    const answer = await agent.request({ method: 'POST', origin, path, headers, body, signal: deadline.signal });
    // The status decides. An endpoint that dawdles over the rest, or sends too much, has answered all the same.
    await answer.body.dump({ limit: MAX_ANSWER_BYTES });
    return { status: answer.statusCode, retryAfter: textOf(answer.headers['retry-after']) };
  } catch (error) {
    return { code: deadline.signal.aborted ? TIMEOUT_CODE : codeOf(error) };
  } finally {
    disarm();
  }
}

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : 'UNKNOWN';
}
