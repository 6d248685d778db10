import { expect, test } from 'vitest';
import { isMessageTypeName, messageTypes } from '../../src/protocol/message-checks.js';

test.each(Object.keys(messageTypes))('%s is the name of a message type', (name) => {
  expect(isMessageTypeName(name)).toBe(true);
});

test.each(['delete', 'Track', '', 'constructor', '__proto__', undefined, 7])(
  '%s is not the name of a message type',
  (name) => {
    expect(isMessageTypeName(name)).toBe(false);
  },
);
