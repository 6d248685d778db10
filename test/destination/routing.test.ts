import { describe, expect, test } from 'vitest';
import { isWanted } from '../../src/destination/intake/prepared-event.js';
import type { Integrations } from '../../src/protocol/integrations.js';

describe('the integrations map', () => {
  test.each<[Integrations | undefined, boolean]>([
    [undefined, true],
    [{}, true],
    [{ All: true }, true],
    [{ All: false }, false],
    [{ All: false, Webhooks: true }, true],
    [{ All: false, Webhooks: {} }, true],
    [{ All: false, Webhooks: { team: 'a' } }, true],
    [{ All: false, Webhooks: undefined }, false],
    [{ Webhooks: false }, false],
    [{ All: true, Webhooks: false }, false],
    [{ All: false, webhooks: true }, false],
    [{ webhooks: false }, true],
    [{ All: false, Slack: true }, false],
    [{ Slack: false }, true],
  ])('%j: %s', (integrations, wanted) => {
    expect(isWanted(integrations)).toBe(wanted);
  });

  test('an integration that the map inherits from its prototype does not count', () => {
    expect(isWanted(Object.create({ Webhooks: false }) as Integrations)).toBe(true);
  });
});
