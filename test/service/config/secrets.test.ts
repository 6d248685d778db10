import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError } from '../../../src/service/config/config-errors.js';
import { runs } from '../../support/runs.js';
import { COMPLETE, type Keys, waysInto, withValue } from './complete.js';
import { read, readValue } from './written.js';

/** Returns everything that an error shows, if one is thrown. */
function shownBy(act: () => unknown): string {
  try {
    act();
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return `${inspect(error, { depth: 9, showHidden: true })} ${JSON.stringify(error)}`;
  }
}

const WRONG = [
  'hunter2\n',
  'hunter2:',
  'ftp://hunter2',
  'https://a:hunter2@example.com/',
  'whsec_hunter2%',
  'hunter2 ✓',
  '',
];

/** True for places at which a wrong value is shown, because they never hold a secret. */
const isShown = (keys: Keys): boolean =>
  ['name', 'host', 'port', 'level', 'prefix', 'type', 'settle'].includes(String(keys.at(-1))) ||
  /.,(allowCidrs|destinations)(,\d+)?$|,trackingPlan,plan,/.test(keys.join());

test('the configuration that the tests about secrets modify is valid', () => {
  expect(() => readValue(COMPLETE)).not.toThrow();
});

/** Returns all values in a long run, and otherwise every third. The place determines with which one it begins. */
const some = <Value>(values: readonly Value[], place: number): readonly Value[] => {
  const step = runs(3, 1);
  return values.filter((_, index) => (index + place) % step === 0);
};

test('no error shows a value from the environment', () => {
  for (const [place, keys] of waysInto(COMPLETE).entries()) {
    for (const wrong of some(WRONG, place)) {
      const written = withValue(COMPLETE, keys, 'x${SECRET}');
      const shown = shownBy(() => readValue(withoutSecrets(written), { SECRET: wrong }));
      expect(shown, `${keys.join('.')} ${wrong}`).not.toContain('hunter2');
    }
  }
});

test('no error shows a secret in the file', () => {
  const ways = waysInto(COMPLETE).filter((keys) => !isShown(keys));
  for (const [place, keys] of ways.entries()) {
    for (const wrong of some([...WRONG, ['hunter2'], { a: 'hunter2' }, { url: 'hunter2' }, null], place)) {
      const shown = shownBy(() => readValue(withValue(COMPLETE, keys, wrong)));
      expect(shown, `${keys.join('.')} ${JSON.stringify(wrong)}`).not.toContain('hunter2');
    }
  }
});

test('no error shows a repeated secret, or one without quotes', () => {
  const twice = { ...COMPLETE, sources: COMPLETE.sources.map((source) => ({ ...source, writeKeys: ['hunter2'] })) };
  expect(shownBy(() => readValue(twice))).toContain('that of sources[0].writeKeys[0]');
  expect(shownBy(() => readValue(twice))).not.toContain('hunter2');
  for (const place of [
    'writeKeys: [470011]',
    'writeKeys: 470011',
    'writeKeys: [k], name: 470011',
    'writeKeys: [!!int 470011]',
  ]) {
    const shown = shownBy(() => read(`sources: [{ name: a, ${place} }]\nadmin: { token: 470011 }`));
    expect(shown.replace('sources[0].name: expected', '')).toContain('a number');
    if (!place.includes('name')) expect(shown).not.toContain('470011');
  }
});

test('no error of a truncated file shows a secret', () => {
  for (const text of [JSON.stringify(COMPLETE, undefined, 2), stringify(COMPLETE), JSON.stringify(COMPLETE)]) {
    for (let length = 0; length < text.length; length += runs(97, 17)) {
      expect(shownBy(() => read(text.slice(0, length)))).not.toContain('hunter2');
      expect(shownBy(() => read(`${text.slice(0, length)}\t${text.slice(length)}`))).not.toContain('hunter2');
      expect(shownBy(() => read(`${text.slice(0, length)}"${text.slice(length)}`))).not.toContain('hunter2');
    }
  }
});

/** Returns a copy without anything that a test could mistake for the secret. */
const withoutSecrets = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('hunter2', 'harmless'));
