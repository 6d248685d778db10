import type { Clock } from '../../base/time/clock.js';
import { KEEP_MS } from '../storage.js';
import { BulkWriter } from './bulk-writer.js';
import { Claims } from './claims.js';
import { IntakeWriter } from './intake-writer.js';
import { Messages } from './messages.js';
import type { RedisClient } from './redis-client.js';
import { digestOf } from './redis-keys.js';
import type { StorePartOptions } from './store-part.js';

/** One partition of a storage. All its keys are in one slot, so that a script may use any of them. */
export class Partition {
  /** The parts that the stores of all destinations share. */
  readonly shared: Pick<StorePartOptions, 'messages' | 'intake' | 'claims' | 'writer'>;
  /** The hash tag of its keys. */
  readonly tag: string;

  constructor(link: RedisClient, tag: string, leaseMs: number, clock: Clock) {
    this.tag = tag;
    const messages = new Messages(`{${tag}}:`);
    this.shared = {
      messages,
      intake: new IntakeWriter(link, messages, { keepMs: KEEP_MS, leaseMs }),
      claims: new Claims(link, messages, leaseMs),
      writer: new BulkWriter(link, messages, () => clock.now()),
    };
  }

  /** Returns the key that remembers a message's id. */
  seenKeyOf(source: string, id: string): string {
    return `{${this.tag}}:seen:${digestOf(JSON.stringify([source, id]))}`;
  }
}
