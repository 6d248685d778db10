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
    'Expected `sources[0].writeKey` to be a non-empty string without a colon or control characters, got a string of 13 characters',
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
  [{ maxBatchMessages: 10_001 }, 'Expected `maxBatchMessages` to be an integer from 1 to 10000, got number 10001'],
  [{ maxMessages: 1 }, 'Expected `maxMessages` to be a known option, got an unknown name. Use `maxBatchMessages`'],
  [{ bodytimeout: 1 }, 'Expected `bodytimeout` to be a known option, got an unknown name. Did you mean `bodyTimeout`?'],
  [{ bodyTimeout: null }, 'Expected `bodyTimeout` to be an integer from 1 to 2147483647, got null'],
  [{ metrics: 1 }, 'Expected `metrics` to be true or false, got number 1'],
  [{ maxBytesInFlight: 8_388_607 }, 'Expected `maxBytesInFlight` to be an integer from 8388608 up, got number 8388607'],
  [{ rememberFor: 0 }, 'Expected `rememberFor` to be an integer from 1 up, got number 0'],
  [{ maxRememberedIds: -1 }, 'Expected `maxRememberedIds` to be an integer from 0 up, got number -1'],
  [{ bodyTimeout: 2 ** 31 }, 'Expected `bodyTimeout` to be an integer from 1 to 2147483647, got number 2147483648'],
  [{ headersTimeout: 1.5 }, 'Expected `headersTimeout` to be an integer from 1 to 2147483647, got number 1.5'],
];

test.each(wrong)('the options %j are refused', (options, message) => {
  // These are wrong options of a caller without types.
  expect(() => new Collector({ ...valid, ...options } as CollectorOptions)).toThrow(
    expect.objectContaining({ name: 'OptionError', code: 'EVENTFERRY_COLLECTOR_INVALID_OPTION', message }),
  );
});

test('a value that is not an object of options is refused, and not shown', () => {
  expect(() => new Collector(key as never)).toThrow(
    'Expected `options` to be an object, got a string of 12 characters. Write new Collector({',
  );
});

test.each<[unknown, string]>([
  [4100, 'Expected `options` to be an object, got a number. Write listen({ port: 4100 })'],
  [{ prot: 1 }, 'Expected `prot` to be a known option, got an unknown name. Did you mean `port`?'],
  [{ port: '4100' }, 'Expected `port` to be an integer from 0 to 65535, got string "4100"'],
])('listen(%j) is refused', async (options, message) => {
  await expect(new Collector(valid).listen(options as never)).rejects.toMatchObject({
    code: 'EVENTFERRY_COLLECTOR_INVALID_OPTION',
    message,
  });
});

test('a source may have other fields besides its name', () => {
  expect(() => new Collector({ ...valid, sources: [{ name: 'a', writeKey: key, team: 'b' } as never] })).not.toThrow();
});

test('`undefined` means the default', () => {
  expect(
    () => new Collector({ ...valid, sources: undefined, onError: undefined, bodyTimeout: undefined }),
  ).not.toThrow();
});
