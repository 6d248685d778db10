import type { DeliveryEntry } from '../server/entry.js';
import { copy, say } from './clipboard.js';
import { facts, head } from './detail.js';
import { button, make } from './dom.js';
import { formatDuration, formatTime } from './format.js';
import type { Site } from './site.js';

/** One attempt: what came of it and why, and the way to send the message again. */
export function showDelivery(entry: DeliveryEntry, close: () => void, site: Site): Node[] {
  const { id, type, title, endpoint, attempt, outcome, result, durationMs, at, nextAttemptAt } = entry;
  const isMade = attempt > 0;
  return [
    head(make('span', `badge ${outcome}`, result), title || type || id, close),
    make('p', 'reason', sentence(entry.reason)),
    facts([
      ['Destination', entry.destination ?? ''],
      ['Webhook', endpoint],
      ['Message id', id],
      ['Type', type],
      [isMade ? 'Sent' : 'Received', formatTime(at)],
      ['Took', isMade ? formatDuration(durationMs) : ''],
      ['Attempt', isMade ? String(attempt) : ''],
      ['Next attempt', nextAttemptAt === undefined ? '' : formatTime(nextAttemptAt)],
    ]),
    make(
      'div',
      'copies',
      ...(site.canReplay(entry) ? [button('Replay', 'quiet framed act', () => void replay(entry, site))] : []),
      button('Copy message id', 'quiet framed', () => copy(id, 'Message id')),
    ),
  ];
}

async function replay(entry: DeliveryEntry, site: Site): Promise<void> {
  try {
    say(await site.replay(entry));
  } catch {
    say('The server cannot be reached');
  }
}

// A name such as `track.messageId` keeps its small letter.
export const sentence = (text: string): string =>
  `${text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase())}.`;
