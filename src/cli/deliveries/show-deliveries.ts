import { printable } from '../../base/text/printable.js';
import type { Attempt } from '../../delivery/state.js';
import { type DeadLetter, deadLetters } from '../../destination/changes/dead-letters.js';
import type { DeadLetterFilter } from '../../destination/changes/delivery-filter.js';
import { type WaitingDelivery, waitingDeliveries } from '../../destination/changes/waiting-deliveries.js';
import { explainStored, type StoredExplanation } from '../../destination/endpoints/stored-explanation.js';
import { shownUrl } from '../../destination/sending/shown-url.js';
import type { EventStore } from '../../store/event-store.js';
import { CliError, EXIT } from '../cli-error.js';
import { columns, type Terminal } from '../terminal/terminal.js';
import { type FoundDestination, inspecting, type StoreOptions } from './folder.js';

export interface ListDeliveriesOptions extends StoreOptions, Pick<DeadLetterFilter, 'type'> {
  readonly user?: string | undefined;
  readonly webhook?: string | undefined;
  readonly dead?: boolean | undefined;
  readonly waiting?: boolean | undefined;
}

/** Prints dead letters and waiting deliveries, one line each. */
export function listDeliveries(path: string, options: ListDeliveriesOptions, terminal: Terminal): Promise<void> {
  const { webhook: endpoint, type, user, dead = false, waiting = false } = options;
  const filter = { endpoint, type, user };
  return inspecting(path, options, { isChanging: false }, async (found) => {
    const counts: { dead?: number; waiting?: number } = {};
    if (dead || !waiting) {
      const letters = (store: EventStore) => deadLetters(store, filter);
      counts.dead = await printEach('dead', found, letters, describeDead, terminal);
    }
    if (waiting || !dead) {
      const queued = (store: EventStore) => waitingDeliveries(store, filter);
      counts.waiting = await printEach('waiting', found, queued, describeWaiting, terminal);
    }
    const text = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
    terminal.note(text.join(', '), counts);
  });
}

async function printEach<T extends { readonly endpoint: string }>(
  state: 'dead' | 'waiting',
  found: readonly FoundDestination[],
  read: (store: EventStore) => AsyncIterable<T>,
  describe: (delivery: T, terminal: Terminal) => string,
  terminal: Terminal,
): Promise<number> {
  let count = 0;
  for (const { name: destination, store } of found) {
    for await (const delivery of read(store)) {
      count++;
      const shown = { ...delivery, endpoint: shownUrl(delivery.endpoint) };
      terminal.print(withName(destination, describe(shown, terminal)), { state, destination, ...shown });
    }
  }
  return count;
}

/** Prints the state of one event at each webhook, and the reason. */
export function explainDelivery(path: string, id: string, options: StoreOptions, terminal: Terminal): Promise<void> {
  return inspecting(path, options, { isChanging: false }, async (found) => {
    let isKnown = false;
    for (const { name: destination, store, isInUse } of found) {
      const explanation = await explainStored(store, id, Date.now(), isInUse);
      if (explanation === undefined) continue;
      isKnown = true;
      const endpoints = explanation.endpoints.map((endpoint) => ({ ...endpoint, url: shownUrl(endpoint.url) }));
      const shown = { ...explanation, endpoints };
      terminal.print(withName(destination, describeExplanation(shown, terminal)), { destination, ...shown });
    }
    if (!isKnown) {
      const message = `the store has no event ${id}: it was delivered and forgotten, or never arrived`;
      throw new CliError(message, { exitCode: EXIT.failed, fields: { messageId: id } });
    }
  });
}

const withName = (destination: string | undefined, text: string): string =>
  columns(destination && printable(destination), text);

function describeDead({ id, type, endpoint, reason, diedAt, attempts }: DeadLetter, terminal: Terminal): string {
  const last = attempts.at(-1);
  const why = last === undefined ? reason : `${reason}, ${answerOf(last)}`;
  return columns(terminal.style('red', 'dead   '), time(diedAt), printable(id), type, endpoint, why);
}

function describeWaiting({ id, type, endpoint, due, attempts }: WaitingDelivery, terminal: Terminal): string {
  const last = attempts.at(-1);
  const before = last === undefined ? 'not tried yet' : `tried ${attempts.length} ×, ${answerOf(last)}`;
  return columns(terminal.style('yellow', 'waiting'), time(due), printable(id), type, endpoint, before);
}

function describeExplanation({ id, type, acceptedAt, endpoints }: StoredExplanation, terminal: Terminal): string {
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
