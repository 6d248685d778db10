import { BodyConsumedError, RefusedError, tooLarge } from './errors.js';

/** The part that the receiver reads of a request of node:http, of HTTP/2, and of compatible servers. */
export interface NodeStream {
  readonly readableDidRead: boolean;
  readonly readableEnded: boolean;
  readonly destroyed: boolean;
  on(event: string, listener: (value: Uint8Array | string) => void): unknown;
  off(event: string, listener: (value: Uint8Array | string) => void): unknown;
  destroy(): unknown;
}

/** What a sender may go on to send after it was refused; then the connection is cut. */
const MAX_DISCARDED_BYTES = 1_048_576;

export const isConsumed = (stream: NodeStream): boolean => stream.readableDidRead || stream.readableEnded;

/**
 * The bytes of a stream that is still unread. Not `for await`, which destroys the socket when it is left early, so that
 * the sender would never see its answer.
 */
export function readStream(
  stream: NodeStream,
  maxBytes: number,
  signal: AbortSignal,
  cure: string,
): Promise<Uint8Array> {
  if (isConsumed(stream)) return Promise.reject(new BodyConsumedError(cure));
  if (stream.destroyed) return Promise.reject(brokenOff());
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const listeners: Record<string, (value: Uint8Array | string) => void> = {
      data(value) {
        // A string, when the program has set an encoding.
        const chunk = typeof value === 'string' ? Buffer.from(value) : value;
        bytes += chunk.length;
        if (bytes > maxBytes) leave(() => reject(tooLarge(maxBytes)));
        else chunks.push(chunk);
      },
      end: () => leave(() => resolve(Buffer.concat(chunks))),
      error: () => leave(() => reject(brokenOff())),
      close: () => leave(() => reject(brokenOff())),
    };
    const stop = (): void => leave(() => reject(signal.reason));
    const leave = (settle: () => void): void => {
      for (const [event, listener] of Object.entries(listeners)) stream.off(event, listener);
      signal.removeEventListener('abort', stop);
      settle();
    };
    for (const [event, listener] of Object.entries(listeners)) stream.on(event, listener);
    signal.addEventListener('abort', stop);
  });
}

const brokenOff = (): RefusedError => new RefusedError(400, 'The connection ended before the body did');

/** Lets a sender that is still sending finish, so that it reads its answer rather than a broken connection. */
export function discardRest(stream: NodeStream): void {
  if (stream.readableEnded) return;
  let bytes = 0;
  stream.on('error', () => {});
  stream.on('data', ({ length }) => {
    bytes += length;
    if (bytes > MAX_DISCARDED_BYTES) stream.destroy();
  });
}
