import { type Clock, systemClock } from '../clock.js';
import { kindOf } from '../describe.js';
import { OptionError } from '../errors.js';
import { awakeClock } from './awake-clock.js';
import type { FindChannel } from './channels.js';
import type { OpenJournal } from './journal/journal.js';
import { findChannel, openJournal, randomUuid } from './platform/node.js';

/** What a client is not told but takes from its surroundings. */
export interface Platform {
  readonly clock: Clock;
  /** From 0 up to but without 1. */
  random(): number;
  newId(): string;
  readonly openJournal: OpenJournal;
  /** Where the client publishes what it does, beside its own listeners. @default nowhere */
  readonly findChannel?: FindChannel | undefined;
}

export const nodePlatform: Platform = {
  clock: awakeClock(systemClock()),
  random: Math.random,
  newId: randomUuid,
  openJournal,
  findChannel,
};

/**
 * The second argument of `new Analytics` is for tests of our own. A user's would be options, none of which would count.
 *
 * @throws OptionError
 */
export function checkPlatform(platform: unknown): Platform {
  if (typeof platform === 'object' && platform !== null && 'clock' in platform) return platform as Platform;
  const received = `${kindOf(platform)} as the second`;
  throw new OptionError('client', 'new Analytics', 'called with one object of all options', received);
}
