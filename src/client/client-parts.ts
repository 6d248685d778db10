import { HAS_DISK } from '../base/platform/node.js';
import type { ResolvedClientOptions } from './analytics-options.js';
import { Enqueuer } from './calls/enqueuer.js';
import type { ClientJournal } from './journal/client-journal.js';
import {
  adviceOn,
  ClientEnding,
  canCompress,
  compress,
  defaultTransport,
  forget,
  keepJournal,
  occupy,
  rejectionsOf,
  takeApart,
  vacate,
} from './platform/node.js';
import type { Platform } from './platform.js';
import { Batch } from './queue/batch.js';
import { Batcher } from './queue/batcher.js';
import { StatsCounter } from './queue/stats.js';
import { createLog } from './report/create-log.js';
import { Reporter } from './report/reporter.js';
import { BatchSender } from './transport/batch-sender.js';
import { Requester } from './transport/requester.js';

/** The parts of a client. */
export type ClientParts = ReturnType<typeof assemble>;

/** What the client itself supplies. */
export interface ClientOwner {
  /** Returns the client, once it exists. */
  client(): object;
  close(): Promise<unknown>;
}

/**
 * Creates and connects the parts of a client.
 *
 * @throws JournalError
 */
export function assemble(options: ResolvedClientOptions, platform: Platform, owner: ClientOwner) {
  const { clock, newId } = platform;
  const counter = new StatsCounter();
  const reporter = new Reporter(createLog(options.logger), { ...options, ...platform, client: owner.client });
  const shared = { ...options, ...platform, counter, reporter };
  const gzip = options.gzip && canCompress;
  const requester = new Requester({ ...shared, gzip, adviceOn, rejectionsOf, defaultTransport });
  const sender = new BatchSender({ ...shared, gzip, compress, requester });
  const limits = { maxBytes: options.maxBatchBytes, maxMessages: options.maxBatchMessages };
  const journal: ClientJournal | undefined =
    HAS_DISK && options.journal && options.enabled
      ? keepJournal(platform.openJournal, options.journal, {
          ...shared,
          newBatch: (expectedBytes, over) => new Batch(newId(), limits, expectedBytes, over),
          onEarlier: () => batcher.sendEarlier(),
          forget: (isMeant, erasesDamage) => forget({ batcher, journal }, isMeant, erasesDamage),
        })
      : undefined;
  const batcher: Batcher = new Batcher({
    ...shared,
    ...limits,
    sender,
    journal,
    disk: journal?.disk,
    takeApart,
    occupy,
    vacate,
  });
  const enqueuer = new Enqueuer({ ...shared, batcher });
  const ending = new ClientEnding({ ...shared, ...owner, batcher, sender, journal: journal?.files });
  batcher.ending = ending;
  return { clock, counter, reporter, sender, batcher, enqueuer, journal, ending };
}
