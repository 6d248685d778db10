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

describe('how a webhook is identified', () => {
  test.each([
    ['its id', 'shop'],
    ['its URL', NEW],
    ['its URL as it is shown', 'https://example.com/new?token=***'],
    ['the URL it had first', OLD],
  ])('a webhook is identified by %s', (_, text) => {
    expect([OLD, OTHER, GONE].filter((key) => known.isMeant(key, text))).toEqual([OLD]);
    expect([OLD, OTHER, GONE].filter((key) => known.isMeant(key, text))).toEqual([OLD]);
  });

  test('every webhook matches without a text, and none matches an unknown text', () => {
    expect([OLD, OTHER, GONE].filter((key) => known.isMeant(key, undefined))).toEqual([OLD, OTHER, GONE]);
    expect([OLD, OTHER, GONE].filter((key) => known.isMeant(key, 'https://example.com/new'))).toEqual([]);
  });

  test('the first URL of a webhook identifies it only if no other webhook has that URL now', () => {
    const swapped = new KnownWebhooks([
      { key: OLD, url: NEW },
      { key: `${OLD}#2`, url: OLD },
    ]);
    expect([OLD, `${OLD}#2`].filter((key) => swapped.isMeant(key, OLD))).toEqual([`${OLD}#2`]);
  });
});

describe('the target of a replayed dead letter', () => {
  test('the target of a dead letter is its own webhook if that is configured, whatever `sendTo` says', () => {
    expect(known.targetOf(OLD)).toBe(OLD);
    expect(known.targetOf(OLD, OTHER)).toBe(OLD);
  });

  test('the target of a dead letter of a removed webhook is the one given as `sendTo`', () => {
    expect(known.targetOf(GONE)).toBeUndefined();
    expect(known.targetOf(GONE, 'shop')).toBe(OLD);
    expect(known.targetOf(GONE, GONE)).toBeUndefined();
  });

  test('the target of a dead letter of a removed webhook is the remaining webhook if there is only one', () => {
    const alone = new KnownWebhooks([
      { key: OTHER, url: OTHER },
      { key: GONE, url: GONE, isGone: true },
    ]);
    expect(alone.targetOf(GONE)).toBe(OTHER);
    expect(alone.targetOf('https://never.example/')).toBe(OTHER);
  });

  test('the target of a dead letter of a removed webhook is the one that now has its URL', () => {
    const there = new KnownWebhooks([
      { key: OTHER, url: OTHER },
      { key: OLD, url: GONE },
      { key: GONE, url: GONE, isGone: true },
    ]);
    expect(there.targetOf(GONE)).toBe(OLD);
  });

  test('the target of a dead letter is its own webhook in a store that has no record of webhooks', () => {
    expect(new KnownWebhooks(undefined).targetOf(GONE)).toBe(GONE);
  });
});
