import type { AttemptError, ConnectionError } from '../../base/errors/errors.js';

/** The failure and the advice, each as a sentence without its full stop. */
export interface FailureExplanation {
  readonly what: string;
  readonly advice: string;
}

const HTTPS_PORT = /HTTP request (was sent )?to (an? )?HTTPS (port|server)/i;
const SAY_HTTPS = 'This is an HTTPS port: write https:// in `endpoint`';

export interface Refusal {
  readonly status: number;
  readonly answer: string;
  readonly location?: string | undefined;
}

/** Says what may be wrong if a collector refuses permanently, and what to do; undefined if only its response can tell. */
export function adviceOn({ status, answer, location }: Refusal): string | undefined {
  if (HTTPS_PORT.test(answer)) return SAY_HTTPS;
  if (status >= 300 && status < 400) {
    const target = location === undefined ? '' : ` to ${location}`;
    return `It redirects${target}, and redirects are not followed: check \`endpoint\``;
  }
  if (status === 401) return 'It does not know this write key: check `writeKey`';
  if (status === 403) return 'It does not admit this write key: check `writeKey`';
  if (status === 404 || status === 405) {
    return 'There is no collector at this address: check `endpoint`, to which /v1/batch is appended';
  }
  return undefined;
}

/** The address to which a request was sent. */
export interface RequestTarget {
  readonly url: string;
  /** The path of the unix socket, if it is one. */
  readonly socketPath?: string | undefined;
}

/** Explains why there was no response. The names of the causes differ between platforms. */
export type ExplainConnection = (
  error: Pick<ConnectionError, 'causeCode' | 'message'>,
  to: { isSecure: boolean; isSocket: boolean },
) => FailureExplanation;

/** Explains in one line why an attempt failed and what to do about it. */
export function explainFailure(
  error: AttemptError,
  { url, socketPath }: RequestTarget,
  explain: ExplainConnection,
): string {
  const { host: hostAndPort, protocol } = new URL(url);
  const host = socketPath ?? hostAndPort;
  if (error.code !== 'EVENTFERRY_CONNECTION') {
    const advice = adviceOn({ status: error.status, answer: error.message }) ?? 'Check `endpoint` and the collector';
    return `${error.message} (at ${host}). ${advice}`;
  }
  const to = { isSecure: protocol === 'https:', isSocket: socketPath !== undefined };
  const { what, advice } = explain(error, to);
  const said = isOurs(error) || error.message.includes(error.causeCode ?? '') ? '' : `${error.causeCode}, `;
  return `no answer from the collector at ${host}: ${what} (${said}${error.message}). ${advice}`;
}

/** Returns true if the error is in our own words, to which a code adds nothing. */
const isOurs = ({ causeCode }: ConnectionError): boolean => causeCode === undefined || causeCode.endsWith('_FAILED');

export interface FirstFailure extends RequestTarget {
  readonly retryFor: number;
  readonly maxRetries: number;
}

/** Explains the first failed attempt of a client, and what happens to its messages. */
export function explainFirstFailure(error: AttemptError, options: FirstFailure, explain: ExplainConnection): string {
  const { retryFor, maxRetries } = options;
  const often = maxRetries === Number.POSITIVE_INFINITY ? '' : `, at most ${maxRetries} times (\`maxRetries\`)`;
  return `${explainFailure(error, options, explain)}. Messages wait and are sent again for ${durationOf(retryFor)} (\`retryFor\`)${often}`;
}

function durationOf(ms: number): string {
  if (ms >= 3_600_000) return `${round(ms / 3_600_000)} h`;
  return ms >= 60_000 ? `${round(ms / 60_000)} min` : `${round(ms / 1_000)} s`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
