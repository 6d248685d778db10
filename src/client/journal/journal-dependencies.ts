import type { JournalErrorCode } from '../../base/errors/journal-errors.js';
import type { Clock } from '../../base/time/clock.js';
import type { Batch } from '../queue/batch.js';
import type { Forgotten } from '../queue/forgotten.js';
import type { FileSystem } from './file-system.js';
import type { JournalEvent } from './journal-event.js';
import type { IsMeant } from './message-filter.js';
import type { OwnerFolder } from './owner-folder.js';
import type { NewJournalError, Problems } from './system-errors.js';

/** The parts of a client that its journal needs. */
export interface JournalDependencies {
  readonly clock: Clock;
  /** The write key of this client's source. It is never written to a file. */
  readonly writeKey: string;
  /**
   * @param expectedBytes the expected size of all its messages
   * @param over a batch that has ended, whose memory the new one may use
   */
  newBatch(expectedBytes: number, over: Batch | undefined): Batch;
  onEvent(event: JournalEvent): void;
  /** Called when the command `journal drop` asks this client, through its socket, to forget messages. */
  forget(isMeant: IsMeant, erasesDamage: boolean): Promise<Forgotten>;
  /** Called when this client has taken over messages of ended clients, which it now has to send. */
  onRecovered(messages: number, bytes: number): void;
  /** Called with the number of these messages that cannot be read, so they are lost. */
  onUnreadable(messages: number, bytes: number, code: JournalErrorCode): void;
  readonly newError: NewJournalError;
}

/** What all parts of one journal use. */
export interface JournalParts extends JournalDependencies {
  readonly fs: FileSystem;
  /** The path of the journal. */
  readonly path: string;
  /** The folder of this client. */
  readonly owner: OwnerFolder;
  readonly problems: Problems;
}
