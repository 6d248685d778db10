import { describe, expect, test } from 'vitest';
import { problemsOf, read } from './written.js';

const mistakeIn = (text: string): string =>
  problemsOf(text)
    .map(
      ({ path, line, column, expected, received }) => `${line}:${column} ${path} expected ${expected}, got ${received}`,
    )
    .join('\n');

const SOURCES = 'sources: [{ name: shop, writeKeys: [k1] }]';

describe('a syntax mistake in a configuration', () => {
  test.each<[string, string, string]>([
    ['a tab', 'listen:\n\tport: 1\n', '2:1  expected spaces at the start of a line, got a tab'],
    ['a bracket that is not closed', '{ "listen": { "port": 1 }', '1:26  expected a comma, a colon'],
    ['a quote that is not closed', 'listen:\n  host: "a\n', 'expected a comma, a colon, a closing bracket, or quotes'],
    ['a variable in brackets', 'sources: [${A}]', '1:11  expected quotes around ${…} within { } or [ ], got none'],
    [
      'a variable in braces',
      'listen: { port: ${PORT} }',
      '1:17  expected quotes around ${…} within { } or [ ], got none',
    ],
    ['a colon in a text', 'listen: a: b', '1:9  expected quotes around a text with a colon'],
    ['wrongly indented lines', 'listen:\n   host: a\n  port: 1\n', '3:'],
    ['a text that begins with @', 'listen: { host: @x }', '1:17  expected quotes around a text that begins with @'],
    ['an unknown escape', 'listen: { host: "\\q" }', 'expected an escape that JSON or YAML knows'],
    ['a tag', 'listen: !env PORT', '1:9  expected plain YAML without tags, got a tag'],
    ['two documents', `${SOURCES}\n---\n${SOURCES}`, '2:1  expected one document in the file, got a second one'],
    [
      'an alias without its anchor',
      'listen: *here',
      '1:9 listen expected an anchor before its alias, got an alias without one',
    ],
    [
      'a key twice',
      `${SOURCES}\nlisten: {}\n${SOURCES}`,
      '3:1 sources expected each key once, got the key of line 1 again',
    ],
    [
      'a key twice, in JSON',
      '{"sources":[{"name":"a","writeKeys":["a"],\n"name":"b"}]}',
      '2:1 sources[0].name expected each key once, got the key of line 1 again',
    ],
    ['a key that is a number', `${SOURCES}\n1: a`, '2:1 ["1"] expected a key that is text'],
    ['a key that is a list', `${SOURCES}\n? [a]\n: b`, '2:3 ["?"] expected a key that is text'],
    ['__proto__', `${SOURCES}\n__proto__: {}`, '2:1 __proto__ expected a key that is text'],
    ['<<', `${SOURCES}\n<<: {}`, '2:1 ["<<"] expected one of listen,'],
    ['an empty file', '', '1:1  expected an object, got null'],
    ['a text', 'hello', '1:1  expected an object, got a string, which is not shown as it may be a secret'],
    ['a list', '[]', '1:1  expected an object, got an empty list'],
  ])('a syntax mistake is named: %s', (_, text, mistake) => {
    expect(mistakeIn(text)).toContain(mistake);
  });

  test('a syntax mistake hides all other mistakes', () => {
    expect(problemsOf('listen:\n\tport: -1\nsources: []\n')).toHaveLength(1);
  });

  test('a repeated key hides no other mistake', () => {
    expect(problemsOf('listen: { port: -1, port: 1 }\nlisten: {}\nsources: []\n').map(({ path }) => path)).toEqual([
      'listen.port',
      'listen.port',
      'listen',
      'sources',
    ]);
  });

  test('a missing key is placed at the object that lacks it', () => {
    expect(problemsOf('listen: {}\n')).toMatchObject([{ path: 'sources', line: 1, column: 1, received: 'nothing' }]);
    expect(problemsOf('sources:\n  - name: shop\n')).toMatchObject([
      { path: 'sources[0].writeKeys', line: 2, column: 5 },
    ]);
  });

  test.each<[string, string]>([
    ['brackets', '['.repeat(20_000)],
    ['braces', `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`],
    ['lists', '- '.repeat(3_000)],
  ])('%s nested too deeply are refused at once', (_, text) => {
    expect(problemsOf(text)).toMatchObject([{ line: 1, expected: 'at most 50 levels of lists and objects' }]);
  });

  test('aliases that multiply are refused', () => {
    const lines = ['a0: &a0 [x]'];
    for (let level = 1; level < 40; level++) lines.push(`a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`);
    expect(mistakeIn(lines.join('\n'))).toContain('at most 1000 aliases in a file');
    expect(mistakeIn('listen: &a { host: *a }')).toContain('listen.host');
  });
});

test('a configuration is YAML 1.2, in which `yes` and dates are text', () => {
  const { sources } = read('sources: [{ name: yes, writeKeys: [on, 2026-11-20] }]');
  expect(sources).toMatchObject([{ name: 'yes', writeKeys: ['on', '2026-11-20'] }]);
});

test('a configuration may use CR alone as its line end', () => {
  expect(read(`${SOURCES}\rlisten:\r  port: 4100\r`).sources).toHaveLength(1);
  expect(problemsOf(`${SOURCES}\rlisten:\r  port: -1\r`)).toMatchObject([{ line: 3, column: 9 }]);
});

test('a configuration may have a byte order mark and Windows line ends', () => {
  expect(read(`\uFEFF${SOURCES}\r\n`).sources).toHaveLength(1);
  expect(problemsOf(`${SOURCES}\r\nlisten:\r\n  port: -1\r\n`)).toMatchObject([{ line: 3, column: 9 }]);
});
