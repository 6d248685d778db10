import { processLosses } from './process-losses.js';
import { type ProcessSignals, processSignals, type Signalled } from './process-signals.js';

/** The part of a client with messages that acts when the process is about to end. */
export interface Occupied extends Signalled {
  /**
   * Nothing else keeps the process alive: delivers the waiting messages, and holds the process for as long as that takes, up to a bound.
   * Returns what is to be called once they have ended.
   */
  drain(): () => void;
  /** The process ends now. Only work that is done before this returns will happen. */
  abandon(): void;
  /** Abandons the messages that `lost` listeners tracked when `abandon` told them. They are not told again: that would have no end. */
  abandonRest(): void;
}

/**
 * The most rounds in which the client delivers what listeners of `beforeExit` track. Each delivery makes Node call the listeners once
 * more, so a program whose listener always tracks would never end.
 */
const MOST_ROUNDS = 10;

/** The clients with messages, each with the function that ends its `drain` once that has begun. */
const occupied = new Map<Occupied, (() => void) | undefined>();
let signals: ProcessSignals | undefined;
let isKnownToSignals = false;
let isWatching = false;
/** True once nothing but a client could keep the process alive. */
let isEnding = false;
let hasExited = false;
let isAbandoning = false;
/** True while the listeners of `beforeExit` run, including later ones and their awaited work. */
let isInRound = false;
/** True when a client has messages to deliver in this round. */
let isRoundCounted = false;
/** Rounds in a row in which there was. */
let rounds = 0;

/** To be called before there is anything to lose: a listener that is added while the process ends is not called. */
export function watchProcessEnd(): void {
  if (isWatching) return;
  isWatching = true;
  process.on('beforeExit', beginRound);
  process.on('exit', endNow);
}

/** Calls `client` when the process ends, until `vacate`. A client at rest is not held in memory. */
export function occupy(client: Occupied): void {
  occupied.set(client, undefined);
  if (client.heedsSignals) heedSignals(client);
  if (!isEnding || hasExited) return;
  // It came after the last turn of the event loop, or will be the reason for one more.
  if (isInRound) countRound();
  if (!isBeyondLastRound()) drain(client);
}

/** To be called when all that the client had has ended. */
export function vacate(client: Occupied): void {
  const endDrain = occupied.get(client);
  occupied.delete(client);
  if (client.heedsSignals) ignoreSignals(client);
  endDrain?.();
}

/** Calls `client` at a signal, until it is taken out again. */
export function heedSignals(client: Signalled): void {
  signals ??= processSignals();
  signals.isUsed = true;
  signals.clients.add(client);
  // Another copy of the package may listen already, and does not know `endNow` of this one.
  if (signals.isListening && isKnownToSignals) return;
  isKnownToSignals = true;
  signals.listen(client);
}

export function ignoreSignals(client: Signalled): void {
  signals?.clients.delete(client);
}

function drain(client: Occupied): void {
  if (occupied.get(client) === undefined) occupied.set(client, client.drain());
}

/** Abandons messages that were tracked too late: in an exit listener after ours, or after the last round. */
export function abandonIfEnded(): void {
  if (hasExited || isBeyondLastRound()) abandonAll();
}

function beginRound(): void {
  isEnding = true;
  if (!isRoundCounted) rounds = 0;
  isRoundCounted = false;
  isInRound = true;
  // Does not keep the process alive: it runs when something else does, and then the round is over. No immediate, as one keeps
  // Bun alive even so, which would then never end.
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

/** A signal ends the process with the code that runs now, and no listener of `exit` is called. */
export function endNow(): void {
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
