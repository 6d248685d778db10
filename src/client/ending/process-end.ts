import type { ClientEnding } from './ending.js';
import { LossTotals } from './loss-totals.js';
import { printNow } from './print-now.js';
import { type ProcessSignals, processSignals, type Signalled } from './process-signals.js';

/**
 * The most rounds in which the client delivers what `beforeExit` listeners track. Each delivery makes Node call these listeners
 * again, so a program whose listener always tracks something would never end.
 */
const MOST_ROUNDS = 10;

/** The losses of all clients of this process. */
export const processLosses = new LossTotals(printNow);

/** The clients with messages. Once a client's `drain` has begun, its value is the function that ends it. */
const occupied = new Map<ClientEnding, (() => void) | undefined>();
let signals: ProcessSignals | undefined;
let isKnownToSignals = false;
let isWatching = false;
/** True once only a client can keep the process alive. */
let isEnding = false;
let hasExited = false;
let isAbandoning = false;
/** True while listeners of `beforeExit` run: from ours until the later ones and the work that they await have ended. */
let isInRound = false;
/** True when a client has messages to deliver in this round. */
let isRoundCounted = false;
/** The number of consecutive rounds with messages. */
let rounds = 0;

/**
 * Must be called before there is anything to lose, because Node does not call a listener that is added while the process ends.
 */
export function watchProcessEnd(): void {
  if (isWatching) return;
  isWatching = true;
  process.on('beforeExit', beginRound);
  process.on('exit', endNow);
}

/** Makes the end of the process call `client`, until `vacate`. A client without messages is not held in memory. */
export function occupy(client: ClientEnding): void {
  occupied.set(client, undefined);
  if (client.heedsSignals) heedSignals(client);
  if (!isEnding || hasExited) return;
  // The message came after the last turn of the event loop, or will cause another one.
  if (isInRound) countRound();
  if (!isBeyondLastRound()) drain(client);
}

/** Called when all messages of the client have ended. */
export function vacate(client: ClientEnding): void {
  const endDrain = occupied.get(client);
  occupied.delete(client);
  if (client.heedsSignals) ignoreSignals(client);
  endDrain?.();
}

/** Makes signals call `client`, until `ignoreSignals`. */
export function heedSignals(client: Signalled): void {
  signals ??= processSignals();
  signals.isUsed = true;
  signals.clients.add(client);
  // Another copy of the package may already listen, but does not know this copy's `endNow`.
  if (signals.isListening && isKnownToSignals) return;
  isKnownToSignals = true;
  signals.listen(endNow);
}

export function ignoreSignals(client: Signalled): void {
  signals?.clients.delete(client);
}

function drain(client: ClientEnding): void {
  if (occupied.get(client) === undefined) occupied.set(client, client.drain());
}

/** Abandons messages that were tracked too late: in an `exit` listener after ours, or after the last round. */
export function abandonIfEnded(): void {
  if (hasExited || isBeyondLastRound()) abandonAll();
}

function beginRound(): void {
  isEnding = true;
  if (!isRoundCounted) rounds = 0;
  isRoundCounted = false;
  isInRound = true;
  // The round is over when this timer runs. It is no `setImmediate`, because in Bun even an unreferenced one keeps the process
  // alive.
  setTimeout(() => {
    isInRound = false;
  }, 0).unref();
  if (occupied.size === 0) return;
  countRound();
  if (isBeyondLastRound()) abandonAll();
  else for (const each of [...occupied.keys()]) drain(each);
}

function countRound(): void {
  if (isRoundCounted) return;
  isRoundCounted = true;
  rounds++;
}

const isBeyondLastRound = (): boolean => isInRound && rounds > MOST_ROUNDS;

/** Abandons all messages. A signal ends the process right after this code, without calling listeners of `exit`. */
function endNow(): void {
  hasExited = true;
  abandonAll();
}

function abandonAll(): void {
  if (isAbandoning) return;
  isAbandoning = true;
  for (const each of [...occupied.keys()]) each.abandon();
  for (const each of [...occupied.keys()]) each.abandonRest();
  isAbandoning = false;
  if (hasExited) processLosses.tell();
}
