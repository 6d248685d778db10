import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../clock.js';
import type { Attempt } from '../delivery/state.js';
import type { BulkOptions } from '../destination/bulk.js';
import type { DeadLetter, DeadLetterFilter } from '../destination/dead-letters.js';
import { ReplayTargetError } from '../destination/errors.js';
import { type StoredExplanation, StoreInspector, type WaitingDelivery } from '../destination/inspect.js';
import type { ReplayTo } from '../destination/replay-targets.js';
import { shownUrl } from '../destination/shown-url.js';
import { OptionError } from '../errors.js';
import { printable } from '../printable.js';
import { openLmdbFolder, type StoredDestination } from '../store/lmdb/lmdb-folder.js';
import { CliError, EXIT } from './cli-error.js';
import { showProgress } from './deliveries/progress.js';
import type { Terminal } from './terminal.js';

export interface StoreOptions {
  /** The folder of an lmdb store, or of a service. */
  readonly store: string;
  /** In the folder of a service, the one that is meant. */
  readonly destination?: string | undefined;
}

/** What is found in a folder. */
interface Found extends Pick<StoredDestination, 'name'> {
  readonly inspector: StoreInspector;
}

export interface ListDeliveriesOptions extends StoreOptions, Pick<DeadLetterFilter, 'endpoint' | 'type'> {
  readonly dead?: boolean | undefined;
  readonly waiting?: boolean | undefined;
}

export interface ChangeDeliveriesOptions
  extends StoreOptions,
    Omit<DeadLetterFilter, 'diedBefore'>,
    Pick<BulkOptions, 'rate' | 'after'>,
    ReplayTo {
  readonly all?: boolean | undefined;
}

/** Prints dead letters and what waits, one line each. */
export function listDeliveries(options: ListDeliveriesOptions, terminal: Terminal): Promise<number> {
  const { endpoint, type, dead, waiting } = options;
  const isEach = dead === waiting;
  return inspecting(options, async (found) => {
    const counts = { dead: 0, waiting: 0 };
    const each = <T>(isWanted: boolean | undefined, read: (inspector: StoreInspector) => AsyncIterable<T>) =>
      isWanted ? withNames(found, read) : [];
    for await (const [destination, letter] of each(isEach || dead, (of) => of.deadLetters({ endpoint, type }))) {
      counts.dead++;
      const shown = { ...letter, endpoint: shownUrl(letter.endpoint) };
      terminal.print(withName(destination, describeDead(shown, terminal)), { state: 'dead', destination, ...shown });
    }
    for await (const [destination, delivery] of each(isEach || waiting, (of) => of.waiting({ endpoint, type }))) {
      counts.waiting++;
      const shown = { ...delivery, endpoint: shownUrl(delivery.endpoint) };
      const text = withName(destination, describeWaiting(shown, terminal));
      terminal.print(text, { state: 'waiting', destination, ...shown });
    }
    const shown = Object.entries(counts).filter(([state]) => isEach || (state === 'dead') === (dead === true));
    terminal.note(shown.map(([state, count]) => `${count} ${state}`).join(', '), Object.fromEntries(shown));
    return EXIT.ok;
  });
}

/** Prints where one event stands at each webhook, and why. */
export function explainDelivery(id: string, options: StoreOptions, terminal: Terminal): Promise<number> {
  return inspecting(options, async (found) => {
    let isKnown = false;
    for (const { name: destination, inspector } of found) {
      const explanation = await inspector.explain(id);
      if (explanation === undefined) continue;
      isKnown = true;
      const endpoints = explanation.endpoints.map((endpoint) => ({ ...endpoint, url: shownUrl(endpoint.url) }));
      const shown = { ...explanation, endpoints };
      terminal.print(withName(destination, describeExplanation(shown, terminal)), { destination, ...shown });
    }
    if (!isKnown) throw new CliError(`the store has no event ${id}: it was delivered and forgotten, or never came`);
    return EXIT.ok;
  });
}

/** Marks dead letters, so that they go out: when a destination next opens the store, or at once where a service runs. */
export function replayDeliveries(options: ChangeDeliveriesOptions, terminal: Terminal): Promise<number> {
  return changing('replay', options, terminal, (count, isDelivering) => {
    const deliveries = count === 1 ? '1 delivery begins' : `${count} deliveries begin`;
    const when = isDelivering ? 'now' : 'when a destination opens the store';
    terminal.print(`${deliveries} anew ${when}`, { replayed: count });
  });
}

/** Lets go of dead letters for good. */
export function discardDeliveries(options: ChangeDeliveriesOptions, terminal: Terminal): Promise<number> {
  return changing('discard', options, terminal, (count) =>
    terminal.print(`${count === 1 ? '1 delivery' : `${count} deliveries`} discarded`, { discarded: count }),
  );
}

function changing(
  act: 'replay' | 'discard',
  { id, endpoint, type, reason, from, to, all, rate, after, sendTo, ...store }: ChangeDeliveriesOptions,
  terminal: Terminal,
  done: (count: number, isDelivering: boolean) => void,
): Promise<number> {
  const filter = { id, endpoint, type, reason, from, to };
  if (!all && Object.values(filter).every((value) => value === undefined)) {
    throw new CliError('which dead letters? Give --id, --endpoint, --type, --reason, --from or --to, or --all');
  }
  return inspecting(store, async (found) => {
    const ofOne = after !== undefined ? '--after' : sendTo !== undefined ? '--send-to' : undefined;
    if (ofOne !== undefined && found.length > 1)
      throw new CliError(`${ofOne} goes with one destination: give --destination`);
    let count = 0;
    let isDelivering = found.length > 0;
    for (const { name, inspector } of found) {
      const bar = showProgress(terminal, { before: count, destination: name });
      const changed = await inspector[act](filter, { rate, after, sendTo, onProgress: bar.onProgress })
        .catch(namingOption)
        .finally(() => bar.end());
      count += changed;
      if (changed > 0 && !inspector.isDelivering) isDelivering = false;
    }
    done(count, isDelivering);
    return EXIT.ok;
  });
}

/** Names what is to be given as it is given here. */
function namingOption(error: unknown): never {
  if (error instanceof ReplayTargetError || error instanceof OptionError)
    throw new CliError(error.message.replace('`sendTo`', '--send-to'));
  throw error;
}

/**
 * @throws CliError when there is no store in that folder, or no destination of that name in it
 * @throws LmdbMissingError when the package `lmdb` is not installed
 */
async function inspecting(
  { store: path, destination }: StoreOptions,
  act: (found: readonly Found[]) => Promise<number>,
): Promise<number> {
  // Opening a store would make one.
  await access(join(path, 'data.mdb')).catch(() => {
    throw new CliError(`there is no store in ${path}`);
  });
  const folder = await openLmdbFolder(path);
  try {
    const meant = folder.destinations.filter(({ name }) => destination === undefined || destination === name);
    if (destination !== undefined && meant.length === 0)
      throw new CliError(unknownIn(folder.destinations, destination));
    return await act(
      meant.map(({ name, store, isDelivering }) => ({
        name,
        inspector: new StoreInspector(store, systemClock(), isDelivering),
      })),
    );
  } finally {
    await folder.close();
  }
}

function unknownIn(destinations: readonly StoredDestination[], name: string): string {
  const names = destinations.flatMap((destination) => destination.name ?? []);
  if (names.length === 0) return 'the store is that of one destination, which has no name there';
  return `the store has no destination ${name}; it has ${names.join(', ')}`;
}

/** What is read of each destination, with its name. */
async function* withNames<T>(
  found: readonly Found[],
  read: (inspector: StoreInspector) => AsyncIterable<T>,
): AsyncGenerator<readonly [name: string | undefined, T], void, undefined> {
  for (const { name, inspector } of found) for await (const each of read(inspector)) yield [name, each];
}

const withName = (destination: string | undefined, text: string): string =>
  destination === undefined ? text : `${printable(destination)}  ${text}`;

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
