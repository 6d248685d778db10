import { expect, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../../src/delivery/completion-rule.js';
import type { Waiting } from '../../../src/delivery/state.js';
import { RetryJobs, type RetryJobsOptions } from '../../../src/scheduler/bullmq/retry-jobs.js';
import type { Made } from '../../../src/scheduler/endpoint.js';
import { INTERVALS } from '../../../src/store/redis/intervals.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

const URL_A = 'https://a.example/';
const WINDOW_MS = 60_000;
const NOW = new FakeClock().now();

class WaitingError extends Error {}
class DelayedError extends Error {}

type Process = (job: unknown, token: string) => Promise<void>;

const retryingAt = (due: number): StoredEvent => {
  const state: Waiting = { phase: 'retrying', due, firstAttemptAt: NOW - 1_000, attempts: 1, history: [] };
  return { ...newEvent('m1', 'track', [URL_A], NOW - 1_000), urls: { [URL_A]: state } };
};

/** The retries of one URL, with BullMQ dealing the jobs that a test gives it. */
function open(stored: StoredEvent | undefined, overrides: Partial<RetryJobsOptions> = {}) {
  const clock = new FakeClock();
  const worker = { process: undefined as Process | undefined, concurrency: 0, isPaused: false };
  class Worker {
    constructor(_queue: string, process: Process) {
      worker.process = process;
    }
    on(): void {}
    isRunning = () => true;
    waitUntilReady = async () => undefined;
    pause = async () => {
      worker.isPaused = true;
    };
    resume = async () => {
      worker.isPaused = false;
    };
    set concurrency(most: number) {
      worker.concurrency = most;
    }
  }
  const attempted: number[] = [];
  const state = { stored, isTurn: true };
  const jobs = new RetryJobs({
    bullmq: { Worker, WaitingError, DelayedError } as unknown as RetryJobsOptions['bullmq'],
    patient: { status: 'ready' } as unknown as RetryJobsOptions['patient'],
    store: { look: async () => state.stored, event: async () => state.stored } as unknown as RetryJobsOptions['store'],
    queue: 'q',
    prefix: 'p',
    url: URL_A,
    windowMs: WINDOW_MS,
    concurrency: 4,
    intervals: INTERVALS,
    clock,
    mayBegin: () => true,
    isTurn: () => state.isTurn,
    isInFlight: () => false,
    isStopped: () => false,
    make: (_, attempt) => attempt(),
    attempt: async ({ at }) => {
      attempted.push(at);
      state.stored = undefined;
      return undefined;
    },
    onError: () => {},
    ...overrides,
  });
  const moves: (readonly [to: 'wait' | 'delayed', inMs?: number])[] = [];
  /** Gives what the worker is told of the job in the end. */
  const deal = async (name = 'retry'): Promise<unknown> => {
    const job = {
      name,
      data: { id: 'm1' },
      moveToWait: async () => void moves.push(['wait']),
      moveToDelayed: async (until: number) => void moves.push(['delayed', until - Date.now()]),
    };
    return worker.process?.(job, 'token').then(
      () => 'done',
      (error: unknown) => error,
    );
  };
  return { jobs, worker, state, attempted, moves, deal };
}

/** How far off a job was put, to the second: it goes by the machine's clock. */
const secondsOf = (moves: readonly (readonly [string, number?])[]) =>
  moves.map(([to, inMs = 0]) => [to, Math.round(inMs / 1_000)]);

test('a retry that is due is made, and its job is done with it', async () => {
  const { attempted, moves, deal } = open(retryingAt(NOW));
  expect(await deal()).toBe('done');
  expect(attempted).toEqual([NOW]);
  expect(moves).toEqual([]);
});

test('a retry waits for its turn', async () => {
  const { jobs, state, attempted, deal } = open(retryingAt(NOW));
  state.isTurn = false;
  const dealt = deal();
  await settled();
  expect(attempted).toEqual([]);
  state.isTurn = true;
  jobs.pump();
  expect(await dealt).toBe('done');
  expect(attempted).toEqual([NOW]);
});

test('retries that have not begun are given back when they are paused', async () => {
  const { jobs, worker, state, attempted, moves, deal } = open(retryingAt(NOW));
  state.isTurn = false;
  const dealt = deal();
  await settled();
  jobs.pause();
  expect(await dealt).toBeInstanceOf(WaitingError);
  expect([attempted, moves, worker.isPaused]).toEqual([[], [['wait']], true]);
});

test('a retry that may not begin is given back', async () => {
  const { attempted, moves, deal } = open(retryingAt(NOW), { mayBegin: () => false });
  expect(await deal()).toBeInstanceOf(WaitingError);
  expect([attempted, moves]).toEqual([[], [['wait']]]);
});

test('a retry that is not due yet is put off until it is', async () => {
  const { attempted, moves, deal } = open(retryingAt(NOW + 30_000));
  expect(await deal()).toBeInstanceOf(DelayedError);
  expect([attempted, secondsOf(moves)]).toEqual([[], [['delayed', 30]]]);
});

test('a retry that would be due after the window is made now: the clock was set back', async () => {
  const due = NOW + WINDOW_MS + 1;
  const { attempted, deal } = open(retryingAt(due));
  await deal();
  expect(attempted).toEqual([due]);
});

test('a retry that is in flight already is not made again', async () => {
  const { attempted, moves, deal } = open(retryingAt(NOW), { isInFlight: () => true });
  expect(await deal()).toBeInstanceOf(DelayedError);
  expect([attempted, secondsOf(moves)]).toEqual([[], [['delayed', INTERVALS.restMs / 1_000]]]);
});

test('a retry of which nothing can be known rests', async () => {
  const { moves, deal } = open(retryingAt(NOW), { make: async () => 'failed' });
  expect(await deal()).toBeInstanceOf(DelayedError);
  expect(secondsOf(moves)).toEqual([['delayed', INTERVALS.restMs / 1_000]]);
});

test('a retry that failed again is put off until its next attempt', async () => {
  const { urls } = retryingAt(NOW + 20_000);
  const entry = { before: retryingAt(NOW), url: URL_A, state: urls[URL_A], spared: [] };
  const { moves, deal } = open(retryingAt(NOW), { attempt: async () => ({ attempt: {}, entry }) as unknown as Made });
  expect(await deal()).toBeInstanceOf(DelayedError);
  expect(secondsOf(moves)).toEqual([['delayed', 20]]);
});

test('a retry that is cut off rests, unless its process ends: then another one takes it at once', async () => {
  const attempt = async () => undefined;
  const cutOff = open(retryingAt(NOW), { attempt });
  await cutOff.deal();
  expect(secondsOf(cutOff.moves)).toEqual([['delayed', INTERVALS.restMs / 1_000]]);
  const ending = open(retryingAt(NOW), { attempt, isStopped: () => true });
  await ending.deal();
  expect(secondsOf(ending.moves)).toEqual([['delayed', 0]]);
});

test('a job whose delivery has ended, or that an earlier version gave to a first attempt, is done', async () => {
  const ended = open(undefined);
  expect(await ended.deal()).toBe('done');
  const first = open(retryingAt(NOW));
  expect(await first.deal('first')).toBe('done');
  expect([ended.attempted, first.attempted]).toEqual([[], []]);
});

test('at least one retry runs at once, or there would be none to look for room', () => {
  const { jobs, worker } = open(undefined);
  jobs.allow(0);
  expect(worker.concurrency).toBe(1);
  jobs.resume(3);
  expect(worker.concurrency).toBe(3);
});
