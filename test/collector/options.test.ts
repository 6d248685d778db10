import { expect, test } from 'vitest';
import { Collector, type CollectorOptions } from '../../src/collector/index.js';

const valid = { writeKeys: ['dev'], onMessages: () => {} };
const key = 'a-secret-key';

const wrong: [Record<string, unknown>, string][] = [
  [{ writeKeys: undefined }, 'Expected `sources` to be a function or a list of { name, writeKey }, got undefined'],
  [{ sources: [] }, 'Expected `sources` to be a function or a list of { name, writeKey }, got an array'],
  [{ sources: [{ writeKey: key }] }, 'Expected `sources[0].name` to be a non-empty string, got undefined'],
  [{ sources: [null] }, 'Expected `sources[0].name` to be a non-empty string, got undefined'],
  [
    { sources: [{ name: 'a', writeKey: `${key}:` }] },
    'Expected `sources[0].writeKey` to be a non-empty string without a colon or control characters, got another string',
  ],
  [
    {
      sources: [
        { name: 'a', writeKey: key },
        { name: 'b', writeKey: key },
      ],
    },
    'Expected `sources[1].writeKey` to be a key of its own, got that of another entry',
  ],
  [{ onMessages: undefined }, 'Expected `onMessages` to be a function, got undefined'],
  [{ onRejected: 1 }, 'Expected `onRejected` to be a function, got number 1'],
  [{ onAnswered: 1 }, 'Expected `onAnswered` to be a function, got number 1'],
  [{ onError: 1 }, 'Expected `onError` to be a function, got number 1'],
  [{ now: 1 }, 'Expected `now` to be a function, got number 1'],
  [{ admit: 1 }, 'Expected `admit` to be a function, got number 1'],
  [{ maxMessages: 10_001 }, 'Expected `maxMessages` to be an integer from 1 to 10000, got number 10001'],
  [{ metrics: 1 }, 'Expected `metrics` to be true or false, got number 1'],
  [{ maxBytesInFlight: 8_388_607 }, 'Expected `maxBytesInFlight` to be an integer from 8388608 up, got number 8388607'],
  [{ rememberFor: 0 }, 'Expected `rememberFor` to be an integer from 1 up, got number 0'],
  [{ maxRememberedIds: 1 }, 'Expected `maxRememberedIds` to be an integer from 2 up, got number 1'],
  [{ bodyTimeout: 2 ** 31 }, 'Expected `bodyTimeout` to be an integer from 1 to 2147483647, got number 2147483648'],
  [{ headersTimeout: 1.5 }, 'Expected `headersTimeout` to be an integer from 1 to 2147483647, got number 1.5'],
];

test.each(wrong)('%j is refused', (options, message) => {
  // The wrong options of a caller without types.
  expect(() => new Collector({ ...valid, ...options } as CollectorOptions)).toThrow(
    expect.objectContaining({ name: 'OptionError', message }),
  );
});

test('undefined means the default', () => {
  expect(
    () => new Collector({ ...valid, sources: undefined, onError: undefined, bodyTimeout: undefined }),
  ).not.toThrow();
});
