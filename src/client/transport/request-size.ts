import type { AttemptError } from '../../base/errors/errors.js';

/** The number of failures in a row after which a request counts as too large for the network. */
const PATIENCE = 2;
/** The factor by which the limit grows with each request that arrives. */
const GROWTH = 1 + 1 / 32;

/** The failures that a large request may cause, because the network is slow or a proxy cuts large bodies. */
const OF_SIZE: readonly unknown[] = ['REQUEST_TIMEOUT', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Estimates the largest request that gets through to the collector. The limit is halved on failures and rises slowly. */
export class RequestSize {
  mostBytes = Number.POSITIVE_INFINITY;

  /**
   * @param failures how many times in a row messages of one batch have failed, possibly because of their size
   * @returns that number after this failure
   */
  failed(bytes: number, error: AttemptError, failures: number): number {
    if (error.code !== 'EVENTFERRY_CONNECTION' || !OF_SIZE.includes(error.causeCode)) return 0;
    if (failures + 1 < PATIENCE) return failures + 1;
    this.mostBytes = Math.min(this.mostBytes, bytes / 2);
    return 0;
  }

  /** Called when a request of about this size has arrived. */
  grow(): void {
    this.mostBytes *= GROWTH;
  }
}
