import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeadLetter, DeadLetterFilter } from '../destination/dead-letters.js';
import { type StoredExplanation, StoreInspector, type WaitingDelivery } from '../destination/inspect.js';
import { lmdbStore } from '../destination/lmdb-store.js';
import type { Attempt } from '../destination/state.js';
import { EXIT, Failure } from './failure.js';
import { printable } from './printable.js';
import type { Terminal } from './terminal.js';

export interface StoreOptions {
  /** The folder of an lmdb store. */
  readonly store: string;
}

export interface ListDeliveriesOptions extends StoreOptions, Pick<DeadLetterFilter, 'endpoint' | 'type'> {
  readonly dead?: boolean | undefined;
  readonly waiting?: boolean | undefined;
}

export interface ReplayDeliveriesOptions extends StoreOptions, DeadLetterFilter {
  readonly all?: boolean | undefined;
}

/** Prints dead letters and what waits, one line each. */
export function listDeliveries(options: ListDeliveriesOptions, terminal: Terminal): Promise<number> {
  const { endpoint, type, dead, waiting } = options;
  const isEach = dead === waiting;
  return inspecting(options, async (inspector) => {
    const counts = { dead: 0, waiting: 0 };
    for await (const letter of isEach || dead ? inspector.deadLetters({ endpoint, type }) : []) {
      counts.dead++;
      terminal.print(describeDead(letter, terminal), { state: 'dead', ...letter });
    }
    for await (const delivery of isEach || waiting ? inspector.waiting({ endpoint, type }) : []) {
      counts.waiting++;
      terminal.print(describeWaiting(delivery, terminal), { state: 'waiting', ...delivery });
    }
    const shown = Object.entries(counts).filter(([state]) => isEach || (state === 'dead') === (dead === true));
    terminal.note(shown.map(([state, count]) => `${count} ${state}`).join(', '), Object.fromEntries(shown));
    return EXIT.ok;
  });
}

/** Prints where one event stands at each webhook, and why. */
export function explainDelivery(id: string, options: StoreOptions, terminal: Terminal): Promise<number> {
  return inspecting(options, async (inspector) => {
    const explanation = await inspector.explain(id);
    if (explanation === undefined) {
      throw new Failure(`the store has no event ${id}: it was delivered and forgotten, or never came`);
    }
    terminal.print(describeExplanation(explanation, terminal), explanation);
    return EXIT.ok;
  });
}

/** Marks dead letters, so that they go out when a destination next opens the store. */
export function replayDeliveries(options: ReplayDeliveriesOptions, terminal: Terminal): Promise<number> {
  const { id, endpoint, type, from, to, all } = options;
  const filter = { id, endpoint, type, from, to };
  if (!all && Object.values(filter).every((value) => value === undefined)) {
    throw new Failure('which dead letters? Give --id, --endpoint, --type, --from or --to, or --all');
  }
  return inspecting(options, async (inspector) => {
    const replayed = await inspector.replay(filter);
    const deliveries = replayed === 1 ? '1 delivery begins' : `${replayed} deliveries begin`;
    terminal.print(`${deliveries} anew when a destination opens the store`, { replayed });
    return EXIT.ok;
  });
}

/**
 * @throws Failure when there is no store in that folder
 * @throws LmdbMissingError when the package `lmdb` is not installed
 */
async function inspecting(
  { store: path }: StoreOptions,
  act: (inspector: StoreInspector) => Promise<number>,
): Promise<number> {
  // Opening a store would make one.
  await access(join(path, 'data.mdb')).catch(() => {
    throw new Failure(`there is no store in ${path}`);
  });
  const inspector = new StoreInspector(await lmdbStore({ path }));
  try {
    return await act(inspector);
  } finally {
    await inspector.close();
  }
}

function describeDead({ id, type, endpoint, reason, diedAt, attempts }: DeadLetter, terminal: Terminal): string {
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

function describeWaiting({ id, type, endpoint, due, attempts }: WaitingDelivery, terminal: Terminal): string {
  const state = terminal.style('yellow', 'waiting');
  const last = attempts.at(-1);
  const before = last === undefined ? 'not tried yet' : `tried ${attempts.length} ×, ${answerOf(last)}`;
  return [state, time(due), printable(id), type, endpoint, before].join('  ');
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
