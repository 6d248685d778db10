import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { SCHEME_LIST } from '../../src/signature/schemes.js';
import { createReceiver, type ReceiverOptions } from '../../src/webhooks/index.js';

const onEvent = (): void => {};
const wrong = (options: object): ReceiverOptions => ({ secrets: 'shhh', onEvent, ...options }) as ReceiverOptions;

test.each([
  ['a secret', { secrets: 'shhh' }],
  ['several secrets', { secrets: ['new', 'old'] }],
  ['no secret, and says so', { secrets: undefined, unsigned: true }],
  ['every option undefined but the two', { seen: undefined, respondAfter: undefined, maxBytes: undefined }],
  ['a handler that is always waited for', { respondAfter: false }],
  ['a whsec_ secret', { secrets: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', accept: ['standard'] }],
  ['a key without its prefix', { secrets: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', accept: ['standard'] }],
  [
    'a secret for each scheme',
    { secrets: ['shhh', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], accept: ['x-signature', 'standard'] },
  ],
])('createReceiver accepts %s', (_, options) => {
  expect(createReceiver(wrong(options))).toHaveProperty('receive');
});

test.each([
  [
    { secrets: undefined },
    'Expected `secrets` to be a secret or an array of them, or `unsigned` to be true, got undefined',
  ],
  [{ secrets: '' }, 'Expected `secrets` to be a non-empty string, or an array of them, got an empty string'],
  [{ secrets: [] }, 'Expected `secrets` to be a non-empty string, or an array of them, got an empty array'],
  [{ secrets: ['a', ''] }, 'Expected `secrets` to be a non-empty string, or an array of them, got an empty string'],
  [{ secrets: ['a', undefined] }, 'Expected `secrets` to be a non-empty string, or an array of them, got undefined'],
  [{ unsigned: true }, 'Expected `unsigned` to be absent where `secrets` is given, got boolean true'],
  [
    { secrets: undefined, unsigned: true, accept: ['standard'] },
    'Expected `unsigned` to be absent where `accept` is given, got boolean true',
  ],
  [
    { secrets: undefined, unsigned: true, tolerance: 1 },
    'Expected `unsigned` to be absent where `tolerance` is given, got boolean true',
  ],
  [
    { tolerance: 1 },
    "Expected `tolerance` to be absent where `accept` has no signature that covers the time, got number 1. Accept 'standard'",
  ],
  [{ onEvent: undefined }, 'Expected `onEvent` to be a function, got undefined'],
  [{ seen: new Set() }, 'Expected `seen` to be a function, got a Set'],
  [{ respondAfter: 0 }, 'Expected `respondAfter` to be an integer from 1 to 2147483647, or false, got number 0'],
  [{ respondAfter: true }, 'Expected `respondAfter` to be an integer from 1 to 2147483647, or false, got boolean true'],
  [
    { respondAfter: '4000' },
    'Expected `respondAfter` to be an integer from 1 to 2147483647, or false, got string "4000"',
  ],
  [{ bodyTimeout: '5000' }, 'Expected `bodyTimeout` to be an integer from 1 to 2147483647, got string "5000"'],
  [{ bodyTimeout: [5] }, 'Expected `bodyTimeout` to be an integer from 1 to 2147483647, got an array'],
  [{ tolerance: '300' }, 'Expected `tolerance` to be a number of milliseconds from 0 up, got string "300"'],
  [{ respondAfter: Number.POSITIVE_INFINITY }, 'Expected `respondAfter`'],
  [{ bodyTimeout: Number.NaN }, 'Expected `bodyTimeout` to be an integer from 1 to 2147483647, got number NaN'],
  [{ maxBytes: 1.5 }, 'Expected `maxBytes` to be an integer from 1 up, got number 1.5'],
  [{ tolerance: -1 }, 'Expected `tolerance` to be a number of milliseconds from 0 up, got number -1'],
  [{ toleranceSeconds: 300 }, 'an unknown name. Use `tolerance`, in milliseconds'],
  [{ onevent: onEvent }, 'Expected `onevent` to be a known option, got an unknown name. Did you mean `onEvent`?'],
  [{ onRefused: null }, 'Expected `onRefused` to be a function, got null'],
  [{ accept: 'standard' }, `Expected \`accept\` to be ${SCHEME_LIST.expected}, got string`],
  [{ accept: ['x-signature', 'x-signature'] }, 'each once, got an array'],
  [{ accept: [] }, 'Expected `accept` to be a list of one or more'],
  [{ accept: ['none'] }, 'Expected `accept` to be a list of one or more'],
  [
    { secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'shhh'], accept: ['standard'] },
    'Expected `secrets` to be a key of 16 bytes or more in base64',
  ],
  [{ accept: ['standard', 'x-signature'] }, 'Expected `secrets` to be a key of 16 bytes or more in base64'],
])('createReceiver refuses %j', (options, message) => {
  const error = expect.objectContaining({
    code: 'EVENTFERRY_WEBHOOKS_INVALID_OPTION',
    message: expect.stringContaining(message),
  });
  expect(() => createReceiver(wrong(options))).toThrow(error);
});

test('createReceiver refuses a whsec_ secret that is not base64', () => {
  expect(() => createReceiver(wrong({ secrets: 'whsec_%%', accept: ['x-signature', 'standard'] }))).toThrow(
    'base64 after `whsec_`',
  );
});

test('inspecting a receiver shows no secret', () => {
  const receiver = createReceiver({ secrets: ['s3cr3t'], onEvent });
  expect(inspect(receiver, { depth: 9, showHidden: true })).not.toContain('s3cr3t');
  expect(JSON.stringify(receiver)).not.toContain('s3cr3t');
});
