import { expect, test } from 'vitest';
import { isOwnRequest } from '../../../src/dashboard/server/guard.js';

test.each([
  [{ host: '127.0.0.1:4100' }],
  [{ host: 'localhost:4100' }],
  [{ host: 'localhost' }],
  [{ host: 'LOCALHOST:80' }],
  [{ host: '[::1]:4100' }],
  [{ host: '192.168.1.7:4100' }],
  [{ host: 'laptop.lan:4100' }],
  [{ host: 'localhost:4100', origin: 'http://localhost:4100' }],
  [{ host: 'localhost:4100', 'sec-fetch-site': 'same-origin' }],
  [{ host: 'localhost:4100', 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
  [
    {
      host: 'localhost:4100',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    },
  ],
])('a request with %j may see the page', (headers) => {
  expect(isOwnRequest(headers, 'laptop.lan')).toBe(true);
});

test.each([
  [{}],
  [{ host: '' }],
  [{ host: 'evil.example' }],
  [{ host: 'localhost.evil.example:4100' }],
  [{ host: '127.0.0.1.evil.example' }],
  [{ host: 'evil.example:4100@localhost' }],
  [{ host: 'localhost/evil' }],
  [{ host: 'localhost:4100', origin: 'http://evil.example' }],
  [{ host: 'localhost:4100', origin: 'https://localhost:4100' }],
  [{ host: 'localhost:4100', origin: 'http://localhost:4101' }],
  [{ host: 'localhost:4100', origin: 'null' }],
  [{ host: 'localhost:4100', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  [{ host: 'localhost:4100', 'sec-fetch-site': 'same-site' }],
  [
    {
      host: 'localhost:4100',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'iframe',
    },
  ],
])('a request with %j is refused', (headers) => {
  expect(isOwnRequest(headers, 'laptop.lan')).toBe(false);
});
