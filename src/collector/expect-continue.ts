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
