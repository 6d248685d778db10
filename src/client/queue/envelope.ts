import { VERSION } from '../../version.js';

/*
 * A request body is
 *
 *   {"batch":[ message , message … ],"messageId":"<uuid>","sentAt":"<24 characters>","context":{"library":{…}}}
 *
 * with the messages first, so that the client writes them where it will send them from, before it knows when.
 */

export const HEAD = '{"batch":[';

const LIBRARY = JSON.stringify({ library: { name: 'eventferry', version: VERSION } });

/** What follows the messages. ASCII, and of the same length for every batch and every time. */
export const tailOf = (batchId: string, sentAt: string): string =>
  `],"messageId":"${batchId}","sentAt":"${sentAt}","context":${LIBRARY}}`;

export const TAIL_BYTES = tailOf('00000000-0000-0000-0000-000000000000', '0000-00-00T00:00:00.000Z').length;

/** What an envelope adds to the messages and the commas between them, in bytes. */
export const ENVELOPE_BYTES = HEAD.length + TAIL_BYTES;

/** A body with these messages, commas between them included, as a copy. */
export function wrap(messages: Uint8Array, tail: string): Uint8Array<ArrayBuffer> {
  const body = Buffer.allocUnsafeSlow(HEAD.length + messages.length + tail.length);
  body.write(HEAD, 0, 'latin1');
  body.set(messages, HEAD.length);
  body.write(tail, HEAD.length + messages.length, 'latin1');
  return body;
}
