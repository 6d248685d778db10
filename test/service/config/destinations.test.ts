import { expect, test } from 'vitest';
import { resolveOptions } from '../../../src/destination/settings/destination-options.js';
import { openedAs } from '../../../src/service/routing/managed-destination.js';
import { mistakesWith, read } from './written.js';

const url = 'https://example.com/hook';
const source = (more: object = {}) => ({ name: 'shop', writeKeys: ['k1'], ...more });
const crm = (more: object = {}) => ({ name: 'crm', type: 'Webhooks', webhooks: [{ url }], ...more });

test.each<[string, object, string]>([
  [
    'six webhooks',
    { destinations: [crm({ webhooks: [1, 2, 3, 4, 5, 6].map((n) => ({ url: `${url}/${n}` })) })] },
    'destinations[0].webhooks: 1 to 5 webhooks, got 6',
  ],
  [
    'a URL twice',
    { destinations: [crm({ webhooks: [{ url }, { url: `${url}#2` }] })] },
    'destinations[0].webhooks[1].url: a URL of its own, got that of webhooks[0]',
  ],
  [
    'a private URL',
    { destinations: [crm({ webhooks: [{ url: 'http://10.0.0.1/' }] })] },
    'destinations[0].webhooks[0].url: a URL at a public address, or `allowCidrs`, got 10.0.0.1',
  ],
  [
    'a network',
    { destinations: [crm({ allowCidrs: ['10.1.2.3/8'] })] },
    'destinations[0].allowCidrs[0]: a network such as 10.20.0.0/16, all bits after its length 0, got string "10.1.2.3/8"',
  ],
  [
    'a reserved header',
    { destinations: [crm({ webhooks: [{ url, headers: { 'X-Signature': 'a' } }] })] },
    'destinations[0].webhooks[0].headers["X-Signature"]: a header of your own, got one that is reserved',
  ],
  [
    '`sign` without a secret',
    { destinations: [crm({ sign: ['standard'] })] },
    'destinations[0].webhooks[0].secret: there when `sign` is given, here or as `sharedSecret`, got nothing',
  ],
])('a destination is refused because of %s', (_, part, mistake) => {
  expect(mistakesWith(part)).toEqual([mistake]);
});

test('a wrong network does not cause further mistakes about the URLs that it should allow', () => {
  const destination = crm({
    allowCidrs: ['10.1.2.3/8', 'fd00::1/8'],
    webhooks: [{ url: 'http://10.1.2.3/' }, { url: 'http://[fd00::1]/' }],
  });
  expect(mistakesWith({ destinations: [destination] }).map((mistake) => mistake.split(':')[0])).toEqual([
    'destinations[0].allowCidrs[0]',
    'destinations[0].allowCidrs[1]',
  ]);
});

test('a destination accepts the options of every valid configuration', () => {
  const { destinations } = read(
    JSON.stringify({
      sources: [source()],
      destinations: [
        crm({
          sign: ['standard'],
          sharedSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
          retryFor: 0,
          requestTimeout: 1,
          concurrency: 1,
          settle: 'each',
        }),
        crm({
          name: 'b',
          allowLoopback: true,
          allowCidrs: [],
          webhooks: [{ url: 'http://127.0.0.1/', headers: { A: 'b' } }],
        }),
      ],
    }),
  );
  for (const destination of destinations) expect(() => resolveOptions(openedAs(destination))).not.toThrow();
});
