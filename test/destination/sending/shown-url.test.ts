import { describe, expect, test } from 'vitest';
import { shownUrl } from '../../../src/destination/sending/shown-url.js';

describe('a URL that is shown', () => {
  test.each([
    ['https://example.com/', 'https://example.com/'],
    ['http://127.0.0.1:4300/hook', 'http://127.0.0.1:4300/hook'],
    [
      'https://example.com/webhooks/v1/order-notifications/eu-west-1',
      'https://example.com/webhooks/v1/order-notifications/eu-west-1',
    ],
    ['https://example.com/hook?token=hunter2', 'https://example.com/hook?token=***'],
    ['https://example.com/hook?a=1&b=x=y&hunter2', 'https://example.com/hook?a=***&b=***&***'],
    ['https://example.com/token=hunter2;b=c/hook', 'https://example.com/token=***;b=***/hook'],
    ['https://example.com/services/T024/B03/aB3dE5gH7jK9mN1pQ3sT5vW7', 'https://example.com/services/T024/B03/***'],
    ['https://example.com/hook/6f1f7e2c-5d6b-4b1e-9a75-0d5a6f9f3f11', 'https://example.com/hook/***'],
    ['https://example.com/hook/sk_live_51Habcdefgh', 'https://example.com/hook/***'],
    ['https://example.com/hook/hunterhunterhunterhunter', 'https://example.com/hook/***'],
    ['https://ada:hunter2@example.com/hook', 'https://example.com/hook'],
    ['hunter2', '***'],
  ])('%s is %s', (url, shown) => {
    expect(shownUrl(url)).toBe(shown);
    expect(shownUrl(shown)).toBe(shown);
  });
});
