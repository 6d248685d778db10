import { expect, test } from 'vitest';
import { freshFolder } from './fresh-folder.js';

/** First runs of plain JavaScript that was written for another client, with the advice that they print. */
const MISTAKES: readonly (readonly [string, string, string])[] = [
  [
    'the write key where the options belong',
    "new Analytics('very-secret', { host: ENDPOINT });",
    'Expected `options` to be an object, got a string of 11 characters. Write new Analytics({',
  ],
  ['the host of another client', "new Analytics({ writeKey: 'very-secret', host: ENDPOINT });", 'Use `endpoint`'],
  [
    'the whole path for the base',
    "new Analytics({ writeKey: 'very-secret', endpoint: ENDPOINT + '/v1/batch' });",
    "Give 'http://127.0.0.1:",
  ],
  ['the event and its properties apart', "analytics.track('Signed Up', { plan: 'pro' });", 'such as track({ userId:'],
  ['a callback', "analytics.track({ userId: 'u1', event: 'e' }, () => {});", 'await the `delivered` of the receipt'],
  ['a number of milliseconds', 'await analytics.flush(1000);', 'Write flush({ timeout: 1000 })'],
  ["a listener of 'error'", "analytics.on('error', console.error);", 'Use `lost`'],
  [
    'seconds for milliseconds',
    "analytics.track({ userId: 'u1', event: 'e', timestamp: 1700000000 });",
    'multiply by 1000',
  ],
];

const start = `
  import { Analytics } from 'eventferry';
  const ENDPOINT = 'http://127.0.0.1:1';
  const analytics = new Analytics({ writeKey: 'very-secret', endpoint: ENDPOINT });
`;

test('each common first mistake ends the program with advice, and without the write key', async () => {
  const files = Object.fromEntries(MISTAKES.map(([, code], index) => [`mistake-${index}.mjs`, start + code]));
  const folder = await freshFolder(files);
  for (const [index, [what, , advice]] of MISTAKES.entries()) {
    const { code, stderr } = await folder.node([`mistake-${index}.mjs`]).ended;
    expect(code, what).toBe(1);
    expect(stderr, what).toContain(advice);
    // Node shows the line that threw, which contains the key. The error itself must not show it.
    const error = stderr.slice(stderr.search(/^\w*Error/m));
    expect(error, what).not.toContain('very-secret');
  }
});
