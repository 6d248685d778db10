import type { Attempt } from '../../delivery/state.js';
import type { DeadLetter } from '../../destination/dead-letters.js';
import type { StoredExplanation, WaitingDelivery } from '../../destination/inspect.js';
import { printable } from '../../printable.js';
import type { Terminal } from '../terminal.js';

export const withName = (destination: string | undefined, text: string): string =>
  destination === undefined ? text : `${printable(destination)}  ${text}`;

export function describeDead({ id, type, endpoint, reason, diedAt, attempts }: DeadLetter, terminal: Terminal): string {
  const state = terminal.style('red', 'dead   ');
  const last = attempts.at(-1);
  return [
    state,
    time(diedAt),
    printable(id),
    type,
    endpoint,
    last === undefined ? reason : `${reason}, ${answerOf(last)}`,
  ].join('  ');
}

export function describeWaiting({ id, type, endpoint, due, attempts }: WaitingDelivery, terminal: Terminal): string {
  const state = terminal.style('yellow', 'waiting');
  const last = attempts.at(-1);
  const before = last === undefined ? 'not tried yet' : `tried ${attempts.length} ×, ${answerOf(last)}`;
  return [state, time(due), printable(id), type, endpoint, before].join('  ');
}

export function describeExplanation(
  { id, type, acceptedAt, endpoints }: StoredExplanation,
  terminal: Terminal,
): string {
  const head = `${terminal.style('bold', printable(id))}  ${type}  accepted ${time(acceptedAt)}`;
  return [head, ...endpoints.flatMap((endpoint) => ['', ...linesOf(endpoint, terminal)])].join('\n');
}

function linesOf(endpoint: StoredExplanation['endpoints'][number], terminal: Terminal): string[] {
  const { url, phase, why, rule, nextAttemptAt, attempts } = endpoint;
  return [
    `${terminal.style('bold', url)}  ${phase}: ${why}`,
    ...attempts.map((attempt) => `  ${time(attempt.at)}  ${answerOf(attempt)}  ${attempt.durationMs} ms`),
    ...(rule === undefined ? [] : [`  ${rule}`]),
    ...(nextAttemptAt === undefined ? [] : [`  next attempt ${time(nextAttemptAt)}`]),
  ];
}

const answerOf = ({ status, code, result }: Attempt): string => `${status ?? code ?? ''} ${result}`.trim();

const time = (ms: number): string => new Date(ms).toISOString();
