import { expect, test } from 'vitest';
import { withoutSecrets } from '../../../src/client/transport/secrets.js';

const headers = {
  Authorization: 'Basic a2V5LW9mLW1pbmU6',
  'X-Token': 'token-1',
  'Content-Type': 'application/json',
  'User-Agent': 'eventferry/1.0.0',
  'X-Stage': 'test',
  'X-Pattern': 'a+b(c)*d',
};

test.each([
  ['a secret with characters that are special in regular expressions', 'no a+b(c)*d here', 'no [secret] here'],
  ['the write key', 'no source has key-of-mine', 'no source has [secret]'],
  ['the whole credentials', 'wrong: Basic a2V5LW9mLW1pbmU6!', 'wrong: [secret]!'],
  ['the credentials without their scheme', 'wrong: a2V5LW9mLW1pbmU6!', 'wrong: [secret]!'],
  ["the value of a caller's header", 'token-1 has expired, token-1!', '[secret] has expired, [secret]!'],
])("a collector's text is shown without %s", (_, said, shown) => {
  expect(withoutSecrets(said, 'key-of-mine', headers)).toBe(shown);
});

test.each(['expected application/json', 'eventferry/1.0.0 is too old', 'not in test'])(
  "a collector's text is shown unchanged if it contains no secret: %s",
  (said) => {
    expect(withoutSecrets(said, 'key-of-mine', headers)).toBe(said);
  },
);

test('a secret that is part of another one does not reveal the rest of the longer one', () => {
  expect(withoutSecrets('secret-and-more', 'secret', { 'X-Token': 'secret-and-more' })).toBe('[secret]');
});
