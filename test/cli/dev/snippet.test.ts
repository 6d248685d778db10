import { expect, test } from 'vitest';
import { snippetOf } from '../../../src/cli/dev/snippet.js';

test('the snippet of dev sends one event with the default key', () => {
  expect(snippetOf('http://127.0.0.1:4100', 'dev')).toEqual([
    "import { Analytics } from 'eventferry';",
    "const analytics = new Analytics({ writeKey: 'dev', endpoint: 'http://127.0.0.1:4100' });",
    "analytics.track({ userId: 'u1', event: 'Hello World' });",
  ]);
});

test.each([
  ['of-my-own', "'of-my-own'"],
  ["it's \\ mine", '"it\'s \\\\ mine"'],
])('the snippet of dev quotes the given key %j', (key, code) => {
  expect(snippetOf('http://127.0.0.1:4100', key)[1]).toContain(`writeKey: ${code},`);
});

test('the snippet of dev reads a key from the environment and does not show it', () => {
  const text = snippetOf('http://127.0.0.1:4100', 'secret', true).join('\n');
  expect(text).toContain('writeKey: process.env.EVENTFERRY_WRITE_KEY,');
  expect(text).not.toContain('secret');
});
