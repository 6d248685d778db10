import { hash } from 'node:crypto';
import type { ReceivedIdentify } from '../../collector/received-message.js';
import type { Sync } from './audience-record.js';
import type { ListKind, NamedList } from './named.js';
import type { MemberDifference } from './sync-steps.js';

/** The value that destinations get for a user who left an audience, or who no longer has a value of a computed trait. */
const GONE: Readonly<Record<ListKind, false | null>> = { audience: false, trait: null };

/** Makes the message about a difference. Made again for the same change, it is the same byte for byte. */
export function identifyOf(
  { kind, name, trait }: NamedList,
  { id, at }: Sync,
  { userId, json }: MemberDifference,
): ReceivedIdentify {
  const timestamp = new Date(at).toISOString();
  return {
    type: 'identify',
    messageId: messageIdOf(`${trait}\n${id}\n${json ?? ''}\n${userId}`),
    userId,
    traits: { [trait]: json === undefined ? GONE[kind] : JSON.parse(json) },
    timestamp,
    receivedAt: timestamp,
    context: { [kind]: { name, sync: id } },
  };
}

/** Makes an id in the form of a UUID of version 8 (RFC 9562, 5.8), because some receivers accept nothing else. */
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
