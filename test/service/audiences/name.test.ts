import fc from 'fast-check';
import { expect, test } from 'vitest';
import { traitOf } from '../../../src/service/audiences/name.js';
import { anyText } from '../../support/any-text.js';
import { setUp } from './support.js';

test.each([
  ['High Value Users', 'high_value_users'],
  ['high value users', 'high_value_users'],
  ['highValueUsers', 'high_value_users'],
  ['HTTPServer users', 'http_server_users'],
  ['VIPs', 'vips'],
  ['Our VIPs!', 'our_vips'],
  ['Top10Users', 'top10_users'],
  ['2024 Buyers', '_2024_buyers'],
  ["VIP's", 'vip_s'],
  ['  a -- b__c  ', 'a_b_c'],
  ['Ünïcode—Dash', 'ünïcode_dash'],
  ['Straße', 'strasse'],
  ['STRASSE', 'strasse'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['ﬁne ＡＢ', 'fine_ab'],
  ['½ price', '_1_2_price'],
  ['Cafe\u0301', 'café'],
  ['हिन्दी उपयोगकर्ता', 'हिन्दी_उपयोगकर्ता'],
  ['می\u200cخواهم', 'میخواهم'],
  ['ユーザー 東京', 'ユーザー_東京'],
  ['❤️ buyers', 'buyers'],
  ['__proto__', 'proto'],
  ['❤️', ''],
  ['', ''],
])('the name %j makes the trait %j', (name, trait) => {
  expect(traitOf(name)).toBe(trait);
});

const text = fc.oneof(
  anyText(),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('a', 'A', 'ß', 'Σ', 'ς', 'İ', 'ŉ', '\u0301', '\u200d', '_', ' ', '1', 'ǅ', 's') }),
);

test('the name of a trait stays the same when it is made into a trait again', () => {
  fc.assert(fc.property(text, (name) => traitOf(traitOf(name)) === traitOf(name)));
});

test('a trait consists of words of letters, digits and marks, separated by single underscores, and never begins with a digit', () => {
  const isTrait = /^(?:|_?[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:_[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*)$/u;
  fc.assert(fc.property(text, (name) => isTrait.test(traitOf(name)) && !/^\p{N}/u.test(traitOf(name))));
});

test('a trait has only lower-case letters or letters without case', () => {
  fc.assert(fc.property(text, (name) => traitOf(name).toLowerCase().normalize('NFKC') === traitOf(name)));
});

test('the trait of a trait is the same trait, for every character with a case, another form or no width', () => {
  const wrong: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    const isPlain = character.normalize('NFKC') === character && !/[\p{Cased}\p{M}\p{N}\p{DI}]/u.test(character);
    if (isPlain) continue;
    for (const name of [`a${character}B`, `1${character}`, `${character}b`]) {
      const trait = traitOf(name);
      if (traitOf(trait) !== trait) wrong.push(name);
    }
  }
  expect(wrong).toEqual([]);
});

test('two names with the same characters in different Unicode forms are the same audience', async () => {
  const { audiences } = setUp();
  await audiences.replace('Cafe\u0301', ['ann']);
  expect(await audiences.get('Caf\u00e9')).toMatchObject({ name: 'Caf\u00e9', members: 1 });
});

test.each([
  ['a number', 42],
  ['empty', ''],
  ['without a letter', '--'],
  ['longer than 200 bytes', 'a'.repeat(201)],
  ['too long once it is a trait', 'ﷺ'.repeat(20)],
  ['half a surrogate pair', 'a\ud800'],
])('a name that is %s is refused', async (_, name) => {
  const { audiences } = setUp();
  const refused = audiences.replace(name as string, []);
  await expect(refused).rejects.toMatchObject({ code: 'EVENTFERRY_AUDIENCE_INVALID_NAME' });
});
