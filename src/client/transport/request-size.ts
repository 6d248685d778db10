import type { AttemptError } from '../../base/errors/errors.js';

/** After this many failures in a row, a request counts as too large for the network. */
const PATIENCE = 2;
/** The factor by which the limit grows with each request that arrives. */
const GROWTH = 1 + 1 / 32;

/** The failures that a large request may cause: the network is slow, or a proxy cuts large bodies. */
const OF_SIZE: readonly unknown[] = ['REQUEST_TIMEOUT', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** The largest request that gets through to the collector. The limit is halved at a failure and rises slowly. */
export class RequestSize {
  mostBytes = Number.POSITIVE_INFINITY;

  /**
   * @param failures how often messages of one batch have failed in a row for what may be their size
   * @returns the same number after this failure
   */
  failed(bytes: number, error: AttemptError, failures: number): number {
    if (error.code !== 'EVENTFERRY_CONNECTION' || !OF_SIZE.includes(error.causeCode)) return 0;
    if (failures + 1 < PATIENCE) return failures + 1;
    this.mostBytes = Math.min(this.mostBytes, bytes / 2);
    return 0;
  }

  /** A request of about this size has arrived. */
  grow(): void {
    this.mostBytes *= GROWTH;
  }
}
