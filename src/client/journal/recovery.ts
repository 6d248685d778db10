import type { Batch } from '../queue/batch.js';
import { EndedClients, type EndedClientsOptions } from './ended-clients.js';
import type { JournalDependencies } from './journal-dependencies.js';
import type { LeftBatches, LeftMessage, LeftPlace } from './left-batches.js';

/** Calls `end` once the dead letters of given-up messages are written. Until then the next process would send them again. */
export type EndLater = (end: () => void) => void;

/** Bytes from which no message can be read. */
export interface Remains {
  readonly bytes: Buffer;
  /** The path of the file with the bytes, or an empty text if it is missing, and the position of the first byte. */
  readonly path: string;
  readonly at: number;
}

export interface RecoveryOptions
  extends Omit<EndedClientsOptions, 'isClosed' | 'onFound'>,
    Pick<JournalDependencies, 'newBatch'> {
  /** Called when this client has taken over messages. */
  onRecovered(messages: number, bytes: number): void;
  /** Called when messages cannot be read and are lost. @param remains one entry per message @param bytes their counted size */
  onDamaged(folder: string, remains: readonly Remains[], bytes: number): void;
  /** Resolves when it is time to read a folder again after a failure. */
  pause(): Promise<void>;
}

interface Entry {
  readonly left: LeftBatches;
  readonly message: LeftMessage;
}

/** The messages that one client left, and how far they are read. */
interface Reading {
  readonly left: LeftBatches;
  messages: AsyncGenerator<LeftMessage, void>;
  /** The last message that was read. */
  last: LeftPlace | undefined;
  /** The number of messages that were counted and not read yet, and their bytes. */
  unread: number;
  unreadBytes: number;
}

/** Reads the messages of ended clients as batches, in the order in which they were accepted. */
export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #readings: Reading[] = [];
  /** A message that was read and did not fit into the previous batch. */
  #held: Entry | undefined;
  readonly #batches = new Map<Batch, { readonly left: LeftBatches; readonly places: readonly LeftPlace[] }>();
  /** The last batch that ended. The next one reuses its memory, so that batches do not become garbage. */
  #over: Batch | undefined;
  readonly #clients: EndedClients;
  #looking: Promise<void> | undefined;
  #hasLooked = false;
  #isClosed = false;
  #next: Promise<Batch | undefined> = Promise.resolve(undefined);

  constructor(options: RecoveryOptions) {
    this.#options = options;
    this.#clients = new EndedClients({
      ...options,
      isClosed: () => this.#isClosed,
      onFound: (left) => this.#add(left),
    });
  }

  /** True while there may be another batch. */
  get hasMore(): boolean {
    return !this.#isClosed && (!this.#hasLooked || this.#readings.length > 0 || this.#held !== undefined);
  }

  /** Takes over what ended clients left. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#clients.look().finally(() => {
      this.#looking = undefined;
      this.#hasLooked = true;
    });
    return this.#looking;
  }

  /** Returns the next batch, with messages of one client, or undefined if there is none. */
  next(): Promise<Batch | undefined> {
    // Two reads at the same time would mix up their messages.
    this.#next = this.#next.then(() => this.#readBatch());
    return this.#next;
  }

  async #readBatch(): Promise<Batch | undefined> {
    if (!this.#hasLooked) await this.#looking;
    const first = this.#isClosed ? undefined : await this.#read();
    if (first === undefined) return undefined;
    const { left } = first;
    const batch = this.#options.newBatch(left.bytes, this.#over);
    this.#over = undefined;
    const places: LeftPlace[] = [];
    for (let entry: Entry | undefined = first; entry !== undefined; entry = await this.#read()) {
      const { json, batch: stored, index } = entry.message;
      if (entry.left !== left || json === undefined || !batch.addBytes(json)) {
        this.#held = entry;
        break;
      }
      places.push({ batch: stored, index });
      if (batch.isFull) break;
    }
    this.#batches.set(batch, { left, places });
    return batch;
  }

  has(batch: Batch): boolean {
    return this.#batches.has(batch);
  }

  /** @param endLater delays the end of messages until their dead letters are written */
  noteEnded(batch: Batch, from: number, to: number, endLater: EndLater = (end) => end()): void {
    const recovered = this.#batches.get(batch);
    if (recovered === undefined) return;
    const { left, places } = recovered;
    const kept = batch.keptOf(from, to);
    endLater(() => {
      for (const index of kept) end(left, places[index]);
    });
    if (!batch.isOver) return;
    this.#batches.delete(batch);
    this.#over = batch;
  }

  /** Notes that one message of a batch was dropped. */
  noteDropped(batch: Batch, index: number): void {
    const recovered = this.#batches.get(batch);
    if (recovered !== undefined) end(recovered.left, recovered.places[index]);
  }

  /** Drops the chosen messages that are in no batch yet. @throws the system's error */
  drop(isMeant: (json: Buffer) => boolean): Promise<{ messages: number; bytes: number }> {
    return this.#alone(async () => {
      await this.look();
      this.#clients.checkOpened();
      const dropped = { messages: 0, bytes: 0 };
      const drop = (left: LeftBatches, place: LeftPlace, bytes: number): void => {
        left.noteEnded(place);
        dropped.messages++;
        dropped.bytes += bytes;
      };
      const held = this.#held;
      if (held?.message.json !== undefined && isMeant(held.message.json)) {
        this.#held = undefined;
        drop(held.left, held.message, held.message.json.length);
      }
      for (const reading of this.#readings) {
        for await (const message of reading.left.messages(reading.last)) {
          if (message.json === undefined || !isMeant(message.json)) continue;
          drop(reading.left, message, message.json.length);
          reading.unread--;
          reading.unreadBytes -= message.json.length;
        }
        // Messages that were read ahead may have been dropped.
        reading.messages = reading.left.messages(reading.last);
      }
      return dropped;
    });
  }

  /** Erases all messages that have ended. @throws the system's error */
  erase(erasesDamage: boolean): Promise<void> {
    return this.#alone(async () => {
      for (const left of this.#clients.opened) {
        await left.erase(() => false, erasesDamage);
        const reading = this.#readings.find((each) => each.left === left);
        // The content in memory is older than the erasure.
        if (reading !== undefined) reading.messages = left.messages(reading.last);
      }
    });
  }

  /** Runs `act` while no batch is being read. */
  #alone<T>(act: () => Promise<T>): Promise<T> {
    const acting = this.#next.then(act);
    this.#next = acting.then(nothing, nothing);
    return acting;
  }

  /** @throws the system's error */
  write(): void {
    this.#clients.write();
  }

  close(): void {
    this.#isClosed = true;
  }

  #add(left: LeftBatches): void {
    const { pending, bytes: unreadBytes, unreadable } = left;
    const unread = pending - unreadable.length;
    this.#readings.push({ left, messages: left.messages(), last: undefined, unread, unreadBytes });
    this.#options.onRecovered(pending, unreadBytes);
    this.#tellDamage(left, unreadable);
  }

  /** Returns the next message that can be read. */
  async #read(): Promise<Entry | undefined> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) return held;
    for (let reading = this.#readings[0]; reading !== undefined && !this.#isClosed; reading = this.#readings[0]) {
      const { left } = reading;
      const message = await this.#step(reading);
      if (message?.json !== undefined) return { left, message };
      if (this.#isClosed) return undefined;
      if (message !== undefined) {
        this.#tellDamage(left, [{ ...message, bytes: Buffer.from(message.bytes) }]);
        continue;
      }
      // The remaining messages were counted, but are not in the files any more.
      const { unread, unreadBytes } = reading;
      if (unread > 0 || unreadBytes > 0) this.#options.onDamaged(left.path, Array(unread).fill(MISSING), unreadBytes);
      left.endRest(unread);
      this.#readings.shift();
    }
    return undefined;
  }

  /** Returns the next message of a client, or undefined if there is none. It waits while the folder cannot be read. */
  async #step(reading: Reading): Promise<LeftMessage | undefined> {
    while (!this.#isClosed) {
      try {
        const step = await reading.messages.next();
        if (step.done === true) return undefined;
        reading.last = step.value;
        reading.unread--;
        reading.unreadBytes -= step.value.json?.length ?? 0;
        return step.value;
      } catch (error) {
        this.#clients.report(reading.left.path, error);
        await this.#options.pause();
        reading.messages = reading.left.messages(reading.last);
      }
    }
    return undefined;
  }

  #tellDamage(left: LeftBatches, messages: readonly LeftMessage[]): void {
    const remains = messages.map(({ batch: { path }, at, bytes }): Remains => ({ path, at, bytes }));
    if (remains.length > 0) this.#options.onDamaged(left.path, remains, 0);
    // They end only after the report. Otherwise a kill in between would lose them without a report.
    for (const message of messages) left.noteEnded(message);
  }
}

function end(left: LeftBatches, place: LeftPlace | undefined): void {
  if (place !== undefined) left.noteEnded(place);
}

const nothing = (): undefined => undefined;

const MISSING: Remains = { bytes: Buffer.alloc(0), path: '', at: 0 };
