import { describe, expect, test } from 'vitest';
import {
  advance,
  cancel,
  discard,
  endingsLeft,
  newEvent,
  revive,
  type SettleRule,
  type StoredEvent,
} from '../../src/delivery/completion-rule.js';
import type { Dead, Delivered, Retrying, StoredState } from '../../src/delivery/state.js';

const delivered: Delivered = { phase: 'delivered', at: 5, history: [] };
const dead: Dead = { phase: 'dead', at: 5, reason: 'permanent', history: [] };
const retrying: Retrying = { phase: 'retrying', due: 9, firstAttemptAt: 1, attempts: 1, history: [] };

const fresh = newEvent('e1', 'track', ['a', 'b', 'c'], 1);

/** Applies the states one after another, and returns every step. */
const walk = (rule: SettleRule, ...moves: [string, StoredState][]) => {
  let event: StoredEvent | undefined = fresh;
  return moves.map(([url, state]) => {
    if (event === undefined) throw new Error(`${url} came after the event was forgotten`);
    const step = advance(event, url, state, rule);
    event = step.event;
    return step;
  });
};

describe('with the rule any', () => {
  test('with the rule any, the event ends only once, at the first success', () => {
    const [first, second] = walk('any', ['a', delivered], ['b', delivered]);
    expect(first?.ending).toEqual({ as: 'delivered', urls: ['a'] });
    expect(second?.ending).toBeUndefined();
  });

  test('with the rule any, every URL is tried once, and then the event is removed', () => {
    const steps = walk('any', ['a', delivered], ['b', retrying], ['c', dead]);
    expect(steps.map(({ event }) => event === undefined)).toEqual([false, false, true]);
  });

  test('with the rule any, a success cancels the retries at other URLs', () => {
    const steps = walk('any', ['a', retrying], ['b', dead], ['c', delivered]);
    expect(steps.at(-1)).toEqual({ event: undefined, ending: { as: 'delivered', urls: ['c'] }, spared: ['a'] });
  });

  test('with the rule any, a URL that fails after the success is not retried', () => {
    const [, second] = walk('any', ['a', delivered], ['b', retrying]);
    expect(second?.spared).toEqual(['b']);
    expect(second?.event?.urls['b']).toBeUndefined();
  });

  test('with the rule any, the event is dead when its last URL is', () => {
    const steps = walk('any', ['a', dead], ['b', dead], ['c', dead]);
    expect(steps.map(({ ending }) => ending?.as)).toEqual([undefined, undefined, 'dead']);
    expect(steps.map(({ event }) => event?.isDead)).toEqual([false, false, true]);
    expect(steps.at(-1)?.ending?.urls).toEqual(['a', 'b', 'c']);
  });

  test('with the rule any, a dead event that is replayed at one URL is no longer dead', () => {
    const [, , last] = walk('any', ['a', dead], ['b', dead], ['c', dead]);
    const again = revive(last?.event as StoredEvent, new Map([['b', 'b']]), 50, 'any');
    expect(again.isDead).toBe(false);
    expect(again.urls['b']).toEqual({ phase: 'pending', due: 50, history: [], isReplay: true });
    expect(advance(again, 'b', delivered, 'any')).toEqual({
      event: undefined,
      ending: { as: 'delivered', urls: ['b'] },
      spared: [],
    });
    expect(advance(again, 'b', dead, 'any')).toMatchObject({ event: { isDead: true }, ending: { as: 'dead' } });
  });
});

describe('with the rule each', () => {
  test('with the rule each, the delivery to every URL ends separately', () => {
    const steps = walk('each', ['a', delivered], ['b', retrying], ['c', dead], ['b', delivered]);
    expect(steps.map(({ ending }) => ending)).toEqual([
      { as: 'delivered', urls: ['a'] },
      undefined,
      { as: 'dead', urls: ['c'] },
      { as: 'delivered', urls: ['b'] },
    ]);
    expect(steps.at(-1)?.event).toMatchObject({ isDead: true });
  });

  test('with the rule each, the event is removed when every URL has it', () => {
    const steps = walk('each', ['a', delivered], ['b', delivered], ['c', delivered]);
    expect(steps.map(({ event }) => event === undefined)).toEqual([false, false, true]);
  });

  test('with the rule each, the event stays a dead letter while one URL is dead', () => {
    const steps = walk('each', ['a', dead], ['b', dead], ['c', delivered]);
    const event = revive(steps.at(-1)?.event as StoredEvent, new Map([['a', 'a']]), 50, 'each');
    expect(event.isDead).toBe(true);
    expect(revive(event, new Map([['b', 'b']]), 50, 'each').isDead).toBe(false);
  });
});

test('with the rule each, a delivery that is replayed at another URL keeps its earlier attempts', () => {
  const attempt = { at: 4, durationMs: 1, result: 'rejected', status: 404 } as const;
  const event: StoredEvent = { ...fresh, urls: { a: { ...dead, history: [attempt] }, b: dead }, isDead: true };
  const moved = revive(event, new Map([['a', 'c']]), 50, 'each');
  expect(moved.urls).toEqual({ b: dead, c: { phase: 'pending', due: 50, history: [attempt], isReplay: true } });
  const both = revive(event, new Map(Object.entries({ a: 'b', b: 'b' })), 50, 'each');
  expect(both).toMatchObject({ urls: { b: { phase: 'pending', due: 50 } }, isDead: false });
  expect(Object.keys(both.urls)).toEqual(['b']);
});

describe('cancelling', () => {
  test('cancelling the last waiting URL removes the event if the rest was delivered', () => {
    expect(cancel({ ...fresh, urls: { a: retrying } }, ['a'])).toBeUndefined();
    expect(cancel({ ...fresh, urls: { a: retrying, b: delivered } }, ['a'])).toBeUndefined();
    expect(cancel({ ...fresh, urls: { a: retrying, b: delivered, c: dead } }, ['a'])).toBeUndefined();
  });

  test('cancelling a waiting URL leaves the other waiting URLs', () => {
    const event: StoredEvent = { ...fresh, urls: { a: retrying, b: retrying, c: dead } };
    expect(cancel(event, ['a'])).toEqual({ ...event, urls: { b: retrying, c: dead } });
  });

  test('cancelling the last waiting URL leaves a dead letter if the rest is dead or it was one before', () => {
    const event: StoredEvent = { ...fresh, urls: { a: retrying, b: dead } };
    expect(cancel(event, ['a'])).toEqual({ ...event, urls: { b: dead }, isDead: true });
    const letter: StoredEvent = { ...fresh, urls: { a: retrying, b: dead, c: delivered }, isDead: true };
    expect(cancel(letter, ['a'])).toEqual({ ...letter, urls: { b: dead, c: delivered } });
  });
});

describe('discarding', () => {
  test('discarding a dead letter removes the event if nothing else is left', () => {
    const [step] = walk('any', ['a', dead]);
    const event = step?.event as StoredEvent;
    expect(discard({ ...event, urls: { a: dead }, isDead: true }, ['a'])).toBeUndefined();
    expect(discard({ ...event, urls: { a: dead, b: delivered }, isDead: true }, ['a'])).toBeUndefined();
  });

  test('discarding a dead URL leaves the URLs that wait, and other dead ones', () => {
    const event: StoredEvent = { ...fresh, urls: { a: dead, b: dead, c: retrying }, isDead: true };
    expect(discard(event, ['a'])).toEqual({ ...event, urls: { b: dead, c: retrying } });
    expect(discard(event, ['a', 'b'])).toEqual({ ...event, urls: { c: retrying }, isDead: false });
  });
});

describe('endingsLeft', () => {
  const pending = newEvent('e1', 'track', ['a', 'b'], 1);

  test.each<[string, SettleRule, StoredEvent, number]>([
    ['an event that waits has one', 'any', pending, 1],
    [
      'an event that was delivered somewhere has none',
      'any',
      { ...pending, urls: { ...pending.urls, a: delivered } },
      0,
    ],
    ['a dead letter has none', 'any', { ...pending, urls: { a: dead, b: dead }, isDead: true }, 0],
    ['each delivery that waits has one', 'each', pending, 2],
    ['a delivery that is dead has none', 'each', { ...pending, urls: { a: dead, b: retrying }, isDead: true }, 1],
  ])('endingsLeft: %s, by the rule %s', (_, rule, event, count) => {
    expect(endingsLeft(event, rule)).toBe(count);
  });
});
