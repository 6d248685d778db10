import { expect, test } from 'vitest';
import { snippetOf } from '../../../src/cli/dev/snippet.js';

test('the snippet of dev sends one event with the default key', () => {
  expect(snippetOf('http://127.0.0.1:4100', 'dev')).toEqual([
    "import { Analytics } from 'eventferry';",
    "const analytics = new Analytics({ writeKey: 'dev', endpoint: 'http://127.0.0.1:4100' });",
    "analytics.track({ userId: 'u1', event: 'Hello World' });",
  ]);
});

test('the snippet of dev reads any other key from the environment, and does not show it', () => {
  const text = snippetOf('http://127.0.0.1:4100', 'secret').join('\n');
  expect(text).toContain('writeKey: process.env.EVENTFERRY_WRITE_KEY,');
  expect(text).not.toContain('secret');
});
