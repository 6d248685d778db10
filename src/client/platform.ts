import { awakeClock, type Clock, systemClock } from '../base/time/clock.js';
import type { OpenJournal } from './journal/journal.js';
import { findChannel, newUuid, openJournal } from './platform/node.js';
import type { Receipt } from './queue/receipt.js';
import type { FindChannel } from './report/channels.js';

/** A client takes these from its surroundings, and is not told them. */
export interface Platform {
  readonly clock: Clock;
  /** Returns a number from 0 up to, and without, 1. */
  random(): number;
  newId(): string;
  readonly openJournal: OpenJournal;
  /** Finds the channels on which the client publishes what it does, beside its own listeners. @default nowhere */
  readonly findChannel?: FindChannel | undefined;
  /** Makes what a call returns of its receipt. @default the receipt itself */
  watchReceipt?(receipt: Receipt): Receipt;
}

export const nodePlatform: Platform = {
  clock: awakeClock(systemClock()),
  random: Math.random,
  newId: newUuid,
  openJournal,
  findChannel,
};
