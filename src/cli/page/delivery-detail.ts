import type { DeliveryEntry } from '../dev/entry.js';
import { copy, say } from './clipboard.js';
import { facts, head } from './detail.js';
import { button, make } from './dom.js';
import { formatDuration, formatTime } from './format.js';

/** One attempt: what came of it and why, and the way to send the message again. */
export function showDelivery(entry: DeliveryEntry, close: () => void): Node[] {
  const { id, type, title, endpoint, attempt, outcome, result, durationMs, at, nextAttemptAt } = entry;
  const isMade = attempt > 0;
  return [
    head(make('span', `badge ${outcome}`, result), title || type || id, close),
    make('p', 'reason', sentence(entry.reason)),
    facts([
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
      ...(canReplay(entry) ? [button('Replay', 'quiet framed act', () => void replay(entry))] : []),
      button('Copy message id', 'quiet framed', () => copy(id, 'Message id')),
    ),
  ];
}

/** While another attempt is to come there is nothing to repeat. */
const canReplay = ({ outcome }: DeliveryEntry): boolean => outcome === 'delivered' || outcome === 'dead';

async function replay({ id, endpoint }: DeliveryEntry): Promise<void> {
  try {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ id, endpoint });
    const response = await fetch('/debugger/replay', { method: 'POST', headers, body });
    const { text, message } = await response.json();
    say(text ?? message);
  } catch {
    say('The server cannot be reached');
  }
}

// A name such as `track.messageId` keeps its small letter.
const sentence = (text: string): string => `${text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase())}.`;
