import { BodyConsumedError, RefusedError, tooLarge } from './receiver-errors.js';

/** The part of a request that the receiver reads, of `node:http`, HTTP/2 and compatible servers. */
export interface NodeStream {
  readonly readableDidRead: boolean;
  readonly readableEnded: boolean;
  readonly destroyed: boolean;
  on(event: string, listener: (value: Uint8Array | string) => void): unknown;
  off(event: string, listener: (value: Uint8Array | string) => void): unknown;
  destroy(): unknown;
}

/** A refused sender may still send this many bytes before the connection is cut. */
const MAX_DISCARDED_BYTES = 1_048_576;

export const isConsumed = (stream: NodeStream): boolean => stream.readableDidRead || stream.readableEnded;

/**
 * Reads the bytes of an unread stream. It does not use `for await`, because leaving such a loop early destroys the socket, and
 * the sender would never see the response.
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
        // Chunks are strings if the program has set an encoding.
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

/** Reads and discards the rest of the body, so that the sender sees the response and not a broken connection. */
export function discardRest(stream: NodeStream): void {
  if (stream.readableEnded) return;
  let bytes = 0;
  stream.on('error', () => {});
  stream.on('data', ({ length }) => {
    bytes += length;
    if (bytes > MAX_DISCARDED_BYTES) stream.destroy();
  });
}
