import { hash } from 'node:crypto';
import type { ReceivedIdentify } from '../../collector/received-message.js';
import type { Named } from './name.js';
import type { Sync } from './record.js';

/** A user who becomes a member, or ceases to be one. */
export interface Difference {
  readonly place: string;
  readonly rest: string;
  readonly userId: string;
  readonly joins: boolean;
}

/** The same message, byte for byte, whenever it is made again of the same change. */
export function identifyOf({ name, trait }: Named, { id, at }: Sync, { userId, joins }: Difference): ReceivedIdentify {
  const timestamp = new Date(at).toISOString();
  return {
    type: 'identify',
    messageId: messageIdOf(`${trait}\n${id}\n${joins}\n${userId}`),
    userId,
    traits: { [trait]: joins },
    timestamp,
    receivedAt: timestamp,
    context: { audience: { name, sync: id } },
  };
}

/** Shaped as a UUID of version 8 (RFC 9562, 5.8), as some who get it take nothing else. */
function messageIdOf(text: string): string {
  const hex = hash('sha256', text, 'hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
