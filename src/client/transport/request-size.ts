import type { AttemptError } from '../../base/errors/errors.js';

/** So many failures in a row tell that a request is too large for the way to the collector. */
const PATIENCE = 2;
/** How much more each request that arrives lets the next one carry. */
const GROWTH = 1 + 1 / 32;

/** A request may fail like this for its size: the line is slow, or something on the way cuts large bodies. */
const OF_SIZE: readonly unknown[] = ['REQUEST_TIMEOUT', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** The most bytes that the way to the collector takes in one request. It falls by half at a time, and rises slowly. */
export class RequestSize {
  mostBytes = Number.POSITIVE_INFINITY;

  /**
   * @param failures how often messages of one batch have failed in a row for what may be their size
   * @returns the same number after this failure
   */
  failed(bytes: number, error: AttemptError, failures: number): number {
    if (error.code !== 'EVENTFERRY_CONNECTION' || !OF_SIZE.includes(error.causeCode)) return failures;
    if (failures + 1 < PATIENCE) return failures + 1;
    this.mostBytes = Math.min(this.mostBytes, bytes / 2);
    return 0;
  }

  /** A request of about this size has arrived. */
  grow(): void {
    this.mostBytes *= GROWTH;
  }
}
