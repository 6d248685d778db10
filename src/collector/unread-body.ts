import type { IncomingMessage, ServerResponse } from 'node:http';

const waiting = new WeakSet<IncomingMessage>();

/** Notes that the client holds its body back until it is told to go on. */
export const noteExpectation = (incoming: IncomingMessage): void => {
  waiting.add(incoming);
};

export const awaitsContinue = (incoming: IncomingMessage): boolean => waiting.has(incoming);

/** Asks for the body, if the client holds it back. */
export function inviteBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (waiting.delete(incoming)) outgoing.writeContinue();
}

// An answer given before the body was read only reaches a client that is still sending if the connection stays open for
// a while: closing it with unread bytes makes the kernel throw the answer away. So the rest is read and dropped, but not
// for ever.
const LINGER_BYTES = 4 * 1024 * 1024;
const LINGER_MS = 2_000;

/** Whether the request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Whether the rest of the body is sure to end within the bound, so that the connection can go on. */
export function isShort({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= LINGER_BYTES;
}

/** Reads and drops the rest of a body, then calls back: at its end, or when it is too long or too slow. */
export function dropRest(incoming: IncomingMessage, then: () => void): void {
  let left = LINGER_BYTES;
  const onData = (chunk: Uint8Array): void => {
    left -= chunk.length;
    if (left < 0) done();
  };
  const timer = setTimeout(() => done(), LINGER_MS);
  const done = (): void => {
    clearTimeout(timer);
    incoming.off('data', onData).off('end', done).off('close', done).off('error', done);
    then();
  };
  incoming.on('data', onData).on('end', done).on('close', done).on('error', done);
  incoming.resume();
}

/**
 * Brings a body to its end, whether or not the handler that answers reads it: drops the rest after the answer, and cuts the
 * connection of a body that has not come by the deadline.
 */
export function boundBody(incoming: IncomingMessage, outgoing: ServerResponse, deadlineMs: number): void {
  if (!hasBody(incoming)) return;
  const cutOff = (): void => {
    if (!incoming.complete) incoming.socket.destroySoon();
  };
  const timer = setTimeout(cutOff, deadlineMs);
  const disarm = (): void => clearTimeout(timer);
  incoming.once('end', disarm).once('close', disarm);
  outgoing.once('finish', () => {
    if (!incoming.complete) dropRest(incoming, cutOff);
  });
}
