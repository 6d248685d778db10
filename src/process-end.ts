/** What a client that has messages does when the process is about to end. */
export interface Occupied {
  /** Nothing else keeps the process alive: deliver what waits, and hold the process for a while if that takes one. */
  drain(): void;
  /** The process ends now. Only what is done before this returns will happen. */
  abandon(): void;
}

const occupied = new Set<Occupied>();
let isWatching = false;
let stage: 'running' | 'abandoning' | 'ended' = 'running';

/** To be called before there is anything to lose: a listener that is added while the process ends is not called. */
export function watchProcessEnd(): void {
  if (isWatching) return;
  isWatching = true;
  process.on('beforeExit', () => {
    for (const each of [...occupied]) each.drain();
  });
  process.on('exit', abandonAll);
}

/** Sees to it that `client` is told when the process ends, until `vacate`. A client at rest is not held in memory. */
export function occupy(client: Occupied): void {
  occupied.add(client);
}

function abandonAll(): void {
  stage = 'abandoning';
  for (const each of [...occupied]) each.abandon();
  stage = 'ended';
}

/** What an exit listener of the program adds after ours has run is abandoned as well. */
export function abandonIfEnded(): void {
  if (stage === 'ended') abandonAll();
}

export function vacate(client: Occupied): void {
  occupied.delete(client);
}

interface Closable {
  close(): Promise<unknown>;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const closedOnSignal = new Set<Closable>();

/** Closes `client` when the process is told to end, and then lets it end. Returns what undoes this. */
export function closeOnSignal(client: Closable): () => void {
  if (closedOnSignal.size === 0) for (const signal of SIGNALS) process.on(signal, closeAll);
  closedOnSignal.add(client);
  return () => {
    closedOnSignal.delete(client);
    if (closedOnSignal.size === 0) stopListening();
  };
}

async function closeAll(signal: NodeJS.Signals): Promise<void> {
  // From here on a second signal does at once what it does without us.
  stopListening();
  await Promise.allSettled([...closedOnSignal].map((client) => client.close()));
  // Who listens as well decides when the process ends; if nobody does, the signal still has its work to do.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

function stopListening(): void {
  for (const signal of SIGNALS) process.off(signal, closeAll);
}
