import type { EventferryError } from '../../base/errors/errors.js';
import { JournalError } from '../../base/errors/journal-errors.js';
import type { Batch } from '../queue/batch.js';
import type { Unreadable } from '../queue/batch-delivery.js';
import { DiskBacklog } from '../queue/disk-backlog.js';
import type { StatsCounter } from '../queue/stats.js';
import type { Journal, OpenJournal } from './journal.js';
import type { JournalDependencies } from './journal-dependencies.js';
import type { JournalEvent } from './journal-event.js';
import type { ResolvedJournalOptions } from './journal-options.js';

/** The part of the client's reporter that a journal uses. */
interface JournalReporter {
  readonly log: {
    readonly hasReader: boolean;
    readonly debug: ((line: string) => void) | undefined;
    error(line: string, details: object): void;
  };
  readonly events: { emit(name: 'journal', event: JournalEvent, onUnheard: () => void): void };
  forgotten(messages: number, error: EventferryError): void;
  warnProcess(text: string, code: string, advice: string): void;
}

export interface ClientJournalParts extends Pick<JournalDependencies, 'clock' | 'writeKey' | 'newBatch' | 'forget'> {
  readonly counter: StatsCounter;
  readonly reporter: JournalReporter;
  /** Called when messages of earlier processes were found on the disk. */
  onEarlier(): void;
}

/** The size in bytes of the placeholder for a message that cannot be read back, until it is dropped. */
const UNREADABLE_BYTES = 2;

/** The journal of one client. It counts and reports the messages found there, and reads back batches that are only on disk. */
export class ClientJournal {
  /** The part that the queue uses. */
  readonly disk: DiskBacklog;
  /** The journal on the disk. */
  readonly files: Journal;
  readonly #parts: ClientJournalParts;

  /** @throws JournalError */
  constructor(open: OpenJournal, options: ResolvedJournalOptions, parts: ClientJournalParts) {
    const { counter, reporter, onEarlier } = parts;
    this.#parts = parts;
    this.files = open(options, {
      ...parts,
      onRecovered: (messages, bytes) => {
        counter.recovered += messages;
        counter.pendingMessages += messages;
        counter.pendingBytes += bytes;
        this.disk.earlierBytes += bytes;
        onEarlier();
      },
      onUnreadable: (messages, bytes, code) => {
        counter.pendingBytes -= bytes;
        for (let index = 0; index < messages; index++) counter.lose(0, code);
        this.disk.earlierBytes -= bytes;
      },
      onEvent: (event) => tell(reporter, event),
      newError: (...args) => new JournalError(...args),
    });
    this.disk = new DiskBacklog(this.files);
  }

  /** Brings a batch back into memory. Returns the messages that cannot be read. Never rejects. */
  async load(batch: Batch): Promise<Unreadable | undefined> {
    const messages = await this.files.read(batch);
    // The client may have given up the batch in the meantime.
    if (batch.isOver) return undefined;
    const indexes = batch.keptOf(0, batch.count).filter((index) => messages[index] === undefined);
    const standIn = (index: number): Uint8Array => new Uint8Array(batch.dropped.get(index) ?? UNREADABLE_BYTES);
    this.#parts.counter.pendingBytes += batch.load(messages.map((message, index) => message ?? standIn(index)));
    return indexes.length === 0 ? undefined : { indexes, error: this.files.tellDamage(indexes.length) };
  }

  /** Drops messages of earlier processes that are in no batch yet. Returns their number. @throws JournalError */
  async forgetEarlier(isMeant: (json: Uint8Array) => boolean, error: EventferryError): Promise<number> {
    const { counter, reporter } = this.#parts;
    const { messages, bytes } = await this.files.dropEarlier(isMeant);
    counter.pendingBytes -= bytes;
    for (let index = 0; index < messages; index++) counter.lose(0, error.code);
    this.disk.earlierBytes -= bytes;
    reporter.forgotten(messages, error);
    return messages;
  }
}

function tell(reporter: JournalReporter, event: JournalEvent): void {
  const { log, events } = reporter;
  const text = describeEvent(event);
  events.emit('journal', event, () => {
    if (!('error' in event) || log.hasReader) return;
    reporter.warnProcess(text, event.error.code, 'listen to `journal` or give a `logger` to hear of each');
  });
  if (!('error' in event)) {
    log.debug?.(text);
    return;
  }
  const messages = 'messages' in event ? event.messages : undefined;
  log.error(text, { code: event.error.code, messages, error: event.error });
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
