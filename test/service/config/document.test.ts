import { expect, test } from 'vitest';
import { problemsOf } from './written.js';

const url = 'https://example.com/hook';

test('all mistakes are listed in the order of the file, with their places', () => {
  const text = `listen:
  prot: 4100
sources:
  - name: shop
    writeKeys: [k1]
    destinations: [crm, lake]
  - writeKeys: [k2, k1]
destinations:
  - name: crm
    type: Webhooks
    sharedSecret: ""
    webhooks:
      - url: ftp://example.com/
        headers: { Host: a, "X A": b, X-C: "\\n" }
        requestTimeout: 0
      - url: https://ada:pw@example.com/
        secert: a
      - {}
      - url: ${url}
      - url: ${url}
      - url: http://127.0.0.1/
    sign: 1
`;
  expect(problemsOf(text).map(({ path, line, column }) => `${line}:${column} ${path}`)).toEqual([
    '2:3 listen.prot',
    '6:25 sources[0].destinations[1]',
    '7:5 sources[1].name',
    '7:21 sources[1].writeKeys[1]',
    '11:19 destinations[0].sharedSecret',
    '13:7 destinations[0].webhooks',
    '13:14 destinations[0].webhooks[0].url',
    '14:26 destinations[0].webhooks[0].headers.Host',
    '14:36 destinations[0].webhooks[0].headers["X A"]',
    '14:44 destinations[0].webhooks[0].headers["X-C"]',
    '15:25 destinations[0].webhooks[0].requestTimeout',
    '16:14 destinations[0].webhooks[1].url',
    '17:9 destinations[0].webhooks[1].secert',
    '18:9 destinations[0].webhooks[2].url',
    '20:14 destinations[0].webhooks[4].url',
    '21:14 destinations[0].webhooks[5].url',
    '22:11 destinations[0].sign',
  ]);
});
