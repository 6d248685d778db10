import { describe, expect, test } from 'vitest';
import { KnownWebhooks } from '../../../src/destination/endpoints/known-webhooks.js';

const OLD = 'https://example.com/old';
const NEW = 'https://example.com/new?token=hunter2';
const OTHER = 'https://other.example/';
const GONE = 'https://gone.example/';

const known = new KnownWebhooks([
  { key: OLD, id: 'shop', url: NEW },
  { key: OTHER, url: OTHER },
  { key: GONE, url: GONE, isGone: true },
]);

describe('a webhook is meant', () => {
  test.each([
    ['its id', 'shop'],
    ['its URL', NEW],
    ['its URL as it is shown', 'https://example.com/new?token=***'],
    ['the URL it had first', OLD],
  ])('a webhook is meant by %s', (_, text) => {
    expect([OLD, OTHER, GONE].filter((key) => known.isMeant(key, text))).toEqual([OLD]);
    expect([OLD, OTHER, GONE].filter((key) => known.isMeant(key, text))).toEqual([OLD]);
  });

  test('by no text at all, and by no other', () => {
    expect([OLD, OTHER, GONE].filter((key) => known.isMeant(key, undefined))).toEqual([OLD, OTHER, GONE]);
    expect([OLD, OTHER, GONE].filter((key) => known.isMeant(key, 'https://example.com/new'))).toEqual([]);
  });

  test('by the URL it had first only where no other has that now', () => {
    const swapped = new KnownWebhooks([
      { key: OLD, url: NEW },
      { key: `${OLD}#2`, url: OLD },
    ]);
    expect([OLD, `${OLD}#2`].filter((key) => swapped.isMeant(key, OLD))).toEqual([`${OLD}#2`]);
  });
});

describe('a dead letter goes', () => {
  test('to its own webhook, whatever else is asked for', () => {
    expect(known.targetOf(OLD)).toBe(OLD);
    expect(known.targetOf(OLD, OTHER)).toBe(OLD);
  });

  test('of a webhook that is gone, to the one that is asked for', () => {
    expect(known.targetOf(GONE)).toBeUndefined();
    expect(known.targetOf(GONE, 'shop')).toBe(OLD);
    expect(known.targetOf(GONE, GONE)).toBeUndefined();
  });

  test('of a webhook that is gone, to the only one there is', () => {
    const alone = new KnownWebhooks([
      { key: OTHER, url: OTHER },
      { key: GONE, url: GONE, isGone: true },
    ]);
    expect(alone.targetOf(GONE)).toBe(OTHER);
    expect(alone.targetOf('https://never.example/')).toBe(OTHER);
  });

  test('of a webhook that is gone, to the one that has come to its URL', () => {
    const there = new KnownWebhooks([
      { key: OTHER, url: OTHER },
      { key: OLD, url: GONE },
      { key: GONE, url: GONE, isGone: true },
    ]);
    expect(there.targetOf(GONE)).toBe(OLD);
  });

  test('where it was to go before, in a store that never put down webhooks', () => {
    expect(new KnownWebhooks(undefined).targetOf(GONE)).toBe(GONE);
  });
});
