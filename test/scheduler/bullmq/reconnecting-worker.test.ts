import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import {
  ReconnectingWorker,
  type ReconnectingWorkerOptions,
} from '../../../src/scheduler/bullmq/reconnecting-worker.js';
import { INTERVALS } from '../../../src/store/redis/intervals.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

/** BullMQ's worker while Redis is gone: it is never ready, and takes its time to let go. */
class Unready extends EventEmitter {
  static opened = 0;
  readonly #never = new Promise<void>(() => {});
  constructor() {
    super();
    Unready.opened++;
  }
  waitUntilReady = (): Promise<void> => this.#never;
  close = (): Promise<void> => this.#never;
}

test('opens no other worker after it was closed, whatever it was about to do', async () => {
  const clock = new FakeClock();
  const worker = new ReconnectingWorker({
    bullmq: { Worker: Unready } as unknown as ReconnectingWorkerOptions['bullmq'],
    patient: { status: 'reconnecting' } as unknown as ReconnectingWorkerOptions['patient'],
    queue: 'q',
    prefix: 'p',
    concurrency: 1,
    intervals: INTERVALS,
    clock,
    run: async () => {},
    onError: () => {},
  });
  // The first was given up, and is being let go of.
  await clock.pass(11_000);
  const closed = worker.close();
  await settled();
  await clock.pass(60_000);
  await closed;
  expect(Unready.opened).toBe(1);
});
