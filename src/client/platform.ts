import { OptionError } from '../base/errors/errors.js';
import { kindOf } from '../base/text/describe.js';
import { awakeClock, type Clock, systemClock } from '../base/time/clock.js';
import type { OpenJournal } from './journal/journal.js';
import { findChannel, newUuid, openJournal } from './platform/node.js';
import type { FindChannel } from './report/channels.js';

/** What a client takes from its environment instead of its options. */
export interface Platform {
  readonly clock: Clock;
  /** Returns a random number in [0, 1). */
  random(): number;
  newId(): string;
  readonly openJournal: OpenJournal;
  /** Finds the channels on which the client publishes its events, in addition to calling its listeners. @default nowhere */
  readonly findChannel?: FindChannel | undefined;
}

export const nodePlatform: Platform = {
  clock: awakeClock(systemClock()),
  random: Math.random,
  newId: newUuid,
  openJournal,
  findChannel,
};

/**
 * Refuses a second argument of `new Analytics`, which is for our own tests. A user's argument would be options that have no
 * effect.
 *
 * @throws OptionError
 */
export function checkPlatform(platform: Platform): Platform {
  if (typeof platform === 'object' && platform !== null && 'clock' in platform) return platform;
  const received = `${kindOf(platform)} as the second`;
  throw new OptionError('client', 'new Analytics', 'called with one object of all options', received);
}
