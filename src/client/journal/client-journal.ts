import type { EventferryError } from '../../base/errors/errors.js';
import { JournalError } from '../../base/errors/journal-errors.js';
import type { Clock } from '../../base/time/clock.js';
import type { Batch } from '../queue/batch.js';
import type { Unreadable } from '../queue/batch-delivery.js';
import { DiskBacklog } from '../queue/disk-backlog.js';
import type { Forgotten } from '../queue/forgotten.js';
import type { StatsCounter } from '../queue/stats.js';
import type { JournalEvent } from './event.js';
import type { IsMeant } from './filter.js';
import type { Journal, OpenJournal } from './journal.js';
import type { ResolvedJournalOptions } from './options.js';

/** The part of the reporter that hears of a journal. */
interface Told {
  readonly log: {
    readonly hasReader: boolean;
    readonly debug: ((line: string) => void) | undefined;
    error(line: string, details: object): void;
  };
  readonly events: { emit(name: 'journal', event: JournalEvent): void; has(name: 'journal'): boolean };
  forgotten(messages: number, error: EventferryError): void;
  warnProcess(text: string, code: string, advice: string): void;
}

export interface ClientJournalParts {
  readonly clock: Clock;
  readonly counter: StatsCounter;
  newBatch(expectedBytes?: number, over?: Batch): Batch;
  readonly reporter: Told;
  /** Forgets messages, as a person asks for it through the socket. */
  forget(isMeant: IsMeant, erasesDamage: boolean): Promise<Forgotten>;
  /** No file gets it. */
  readonly writeKey: string;
  /** Messages of earlier processes wait on the disk. */
  onEarlier(): void;
}

/** The size of the placeholder for a message that cannot be read back, until it is dropped. */
const UNREADABLE_BYTES = 2;

type Stored = readonly (Uint8Array | undefined)[];

/** The journal of one client. It counts and reports the messages that are found there, and reads back batches that are on disk alone. */
export class ClientJournal {
  /** The part that the queue uses. */
  readonly disk: DiskBacklog;
  readonly #journal: Journal;
  readonly #parts: ClientJournalParts;

  /** @throws JournalError */
  constructor(open: OpenJournal, options: ResolvedJournalOptions, parts: ClientJournalParts) {
    const { clock, counter, reporter, newBatch, writeKey, onEarlier, forget } = parts;
    this.#parts = parts;
    this.#journal = open(options, {
      clock,
      writeKey,
      newBatch,
      forget,
      onRecovered: (messages, bytes) => {
        counter.recovered += messages;
        counter.pendingMessages += messages;
        counter.pendingBytes += bytes;
        this.disk.noteFound(bytes);
        onEarlier();
      },
      onUnreadable: (messages, bytes, code) => {
        counter.pendingBytes -= bytes;
        for (let index = 0; index < messages; index++) counter.lose(0, code);
        this.disk.noteRead(bytes);
      },
      onEvent: (event) => tell(reporter, event),
      newError: (...args) => new JournalError(...args),
    });
    this.disk = new DiskBacklog(this.#journal);
  }

  /** Brings a batch back into memory; returns what of it cannot be read. Never rejects. */
  async load(batch: Batch): Promise<Unreadable | undefined> {
    const messages = await this.#journal.read(batch);
    // The process may have given up on the batch meanwhile.
    if (batch.isOver) return undefined;
    const indexes = batch.keptOf(0, batch.count).filter((index) => messages[index] === undefined);
    const standIn = (index: number): Uint8Array => new Uint8Array(batch.dropped.get(index) ?? UNREADABLE_BYTES);
    this.#parts.counter.pendingBytes += batch.load(messages.map((message, index) => message ?? standIn(index)));
    return indexes.length === 0 ? undefined : { indexes, error: this.#journal.tellDamage(indexes.length) };
  }

  /** The messages of a batch that left the memory, as JSON; undefined for one that cannot be read. */
  read(batch: Batch): Promise<Stored> {
    return this.#journal.read(batch);
  }

  /** Drops messages of earlier processes that no batch carries yet; returns how many. @throws JournalError */
  async forgetEarlier(isMeant: (json: Uint8Array) => boolean, error: EventferryError): Promise<number> {
    const { counter, reporter } = this.#parts;
    const { messages, bytes } = await this.#journal.forgetting.dropEarlier(isMeant);
    counter.pendingBytes -= bytes;
    for (let index = 0; index < messages; index++) counter.lose(0, error.code);
    this.disk.noteRead(bytes);
    reporter.forgotten(messages, error);
    return messages;
  }

  /** Erases what has ended, and the dead letters that are meant; returns how many these are. @throws JournalError */
  erase(isMeant: IsMeant, erasesDamage: boolean): Promise<number> {
    return this.#journal.forgetting.erase(isMeant, erasesDamage);
  }

  /** Hands everything to the operating system. */
  writeNow(): void {
    this.#journal.writeNow();
  }

  /** Resolves when the journal has taken over all that it found. */
  settled(): Promise<void> {
    return this.#journal.settled();
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}

function tell(reporter: Told, event: JournalEvent): void {
  const { log, events } = reporter;
  events.emit('journal', event);
  const text = describeEvent(event);
  if (!('error' in event)) {
    log.debug?.(text);
    return;
  }
  const messages = 'messages' in event ? event.messages : undefined;
  log.error(text, { code: event.error.code, messages, error: event.error });
  if (log.hasReader || events.has('journal')) return;
  reporter.warnProcess(text, event.error.code, 'listen to `journal` or give a `logger` to hear of each');
}

function describeEvent(event: JournalEvent): string {
  const messages = 'messages' in event ? `${event.messages} ${event.messages === 1 ? 'message' : 'messages'}` : '';
  switch (event.kind) {
    case 'failing':
      return `what is accepted now is not stored: ${event.error.message} (${event.error.code})`;
    case 'unkept':
      return `dead letters or damaged bytes cannot be written: ${event.error.message} (${event.error.code})`;
    case 'storing':
      return 'what is accepted is stored again';
    case 'recovered':
      return `${messages} of earlier processes recovered from the journal`;
    case 'dropped':
      return `${messages} dropped from the dead letters, the oldest`;
    case 'damaged':
    case 'foreign':
    case 'unreadable':
      return `${event.error.message} (${messages}, ${event.error.code})`;
  }
}
