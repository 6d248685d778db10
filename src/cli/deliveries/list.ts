import type { DeadLetter, DeadLetterFilter } from '../../destination/dead-letters.js';
import type { StoreInspector, WaitingDelivery } from '../../destination/inspect.js';
import { shownUrl } from '../../destination/shown-url.js';
import { EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal.js';
import { describeDead, describeWaiting, withName } from './describe.js';
import { type Found, inspecting, type StoreOptions } from './folder.js';

export interface ListDeliveriesOptions extends StoreOptions, Pick<DeadLetterFilter, 'type'> {
  readonly webhook?: string | undefined;
  readonly dead?: boolean | undefined;
  readonly waiting?: boolean | undefined;
}

/** One of the two things that a store keeps deliveries for. */
interface Kind<T> {
  readonly state: 'dead' | 'waiting';
  read(inspector: StoreInspector): AsyncIterable<T>;
  describe(delivery: T, terminal: Terminal): string;
}

/** Prints dead letters and waiting deliveries, one line each. */
export function listDeliveries(options: ListDeliveriesOptions, terminal: Terminal): Promise<number> {
  const { webhook: endpoint, type, dead = false, waiting = false } = options;
  const filter = { endpoint, type };
  const letters: Kind<DeadLetter> = {
    state: 'dead',
    read: (inspector) => inspector.deadLetters(filter),
    describe: describeDead,
  };
  const queued: Kind<WaitingDelivery> = {
    state: 'waiting',
    read: (inspector) => inspector.waiting(filter),
    describe: describeWaiting,
  };
  return inspecting(options, async (found) => {
    const counts = {
      ...((dead || !waiting) && { dead: await printEach(letters, found, terminal) }),
      ...((waiting || !dead) && { waiting: await printEach(queued, found, terminal) }),
    };
    const text = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
    terminal.note(text.join(', '), counts);
    return EXIT.ok;
  });
}

async function printEach<T extends { readonly endpoint: string }>(
  { state, read, describe }: Kind<T>,
  found: readonly Found[],
  terminal: Terminal,
): Promise<number> {
  let count = 0;
  for (const { name: destination, inspector } of found) {
    for await (const delivery of read(inspector)) {
      count++;
      const shown = { ...delivery, endpoint: shownUrl(delivery.endpoint) };
      terminal.print(withName(destination, describe(shown, terminal)), { state, destination, ...shown });
    }
  }
  return count;
}
