import type { Lookup } from '../../src/destination/network/ssrf-guard.js';
import { next, openDestination } from './open.js';
import { track } from './track.js';

/** Returns a lookup that gives one answer per call, and repeats the last one. */
export const answering =
  (...answers: string[][]): Lookup =>
  (_, { all }, answer) => {
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (all) answer(null, found);
    else answer(null, found[0]?.address ?? '', found[0]?.family ?? 4);
  };

export const firstAttempt = async (url: string, options: { lookup?: Lookup; allowLoopback?: boolean } = {}) => {
  const { lookup, ...settings } = options;
  const { destination, clock } = await openDestination({ webhooks: [{ url }], ...settings }, lookup ? { lookup } : {});
  const made = next(destination, 'attempt');
  await destination.deliver(track('m1'));
  return { attempt: (await made).attempt, destination, clock };
};
