import type { JournalErrorCode } from '../../base/errors/journal-errors.js';
import type { Clock } from '../../base/time/clock.js';
import type { Batch } from '../queue/batch.js';
import type { Forgotten } from '../queue/forgotten.js';
import type { JournalEvent } from './journal-event.js';
import type { IsMeant } from './message-filter.js';
import type { NewJournalError } from './system-errors.js';

/** The parts of a client that its journal needs. */
export interface JournalDependencies {
  readonly clock: Clock;
  /** The write key of this client's source. It is never written to a file. */
  readonly writeKey: string;
  /**
   * @param expectedBytes how long its messages will probably be together
   * @param over a batch whose memory is free
   */
  newBatch(expectedBytes: number, over: Batch | undefined): Batch;
  onEvent(event: JournalEvent): void;
  /** A person asks through this client's socket that it forget messages. */
  forget(isMeant: IsMeant, erasesDamage: boolean): Promise<Forgotten>;
  /** This client has taken over so many messages of clients that have ended, and has batches of them to send. */
  onRecovered(messages: number, bytes: number): void;
  /** This number of them cannot be read, so they are lost. */
  onUnreadable(messages: number, bytes: number, code: JournalErrorCode): void;
  readonly newError: NewJournalError;
}
