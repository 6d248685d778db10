import { describe, expect, test } from 'vitest';
import { answerText, MOST_ANSWER_BYTES, secretsOf } from '../../../src/destination/sending/answer-text.js';

const webhook = {
  url: new URL('https://example.com/hooks/T0KEN1234567890abcdef/x?token=hunter2%20x&a=b'),
  headers: { Authorization: 'Bearer hunter3hunter3', 'X-Mode': 'on' },
  secret: 'hunter4',
};

describe('the text of an answer', () => {
  test('the text of an answer is cut at 2,048 bytes, but never within a character', () => {
    expect(Buffer.byteLength(answerText(Buffer.from('x'.repeat(5_000)), []))).toBe(MOST_ANSWER_BYTES);
    const euros = answerText(Buffer.from('€'.repeat(1_000)), []);
    expect(euros).toBe('€'.repeat(682));
  });

  test('the text of an answer is well-formed whatever the bytes are', () => {
    const text = answerText(Buffer.of(0xff, 0xfe, 0x41, 0xc3, 0x28, 0xe2, 0x82), []);
    expect(text).toBe('\ufffd\ufffdA\ufffd(');
  });

  test.each([
    ['the shared secret', 'signed with hunter4', 'signed with ***'],
    ['a secret each time that it comes', 'hunter4, not hunter4', '***, not ***'],
    ['a header', 'got Bearer hunter3hunter3!', 'got ***!'],
    ['a token of a header', 'bad token hunter3hunter3', 'bad token ***'],
    ['a parameter', 'no user hunter2 x', 'no user ***'],
    ['a parameter as it was sent', 'GET ?token=hunter2%20x', 'GET ?token=***'],
    ['a token of the path', 'POST /hooks/T0KEN1234567890abcdef/x', 'POST /hooks/***/x'],
    ['nothing that is short', 'mode on, a=b', 'mode on, a=b'],
  ])('the text of an answer masks %s', (_, text, shown) => {
    expect(answerText(Buffer.from(text), secretsOf(webhook))).toBe(shown);
  });

  test('the text of an answer masks a secret that the cut would split', () => {
    const text = answerText(Buffer.from(`${'x'.repeat(MOST_ANSWER_BYTES - 3)}hunter4 and more`), secretsOf(webhook));
    expect(text).toBe(`${'x'.repeat(MOST_ANSWER_BYTES - 3)}***`);
  });
});
