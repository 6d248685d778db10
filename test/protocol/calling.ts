import { expect, test } from 'vitest';
import { ValidationError } from '../../src/base/errors/errors.js';
import type { MessageTypeName } from '../../src/protocol/calls.js';
import { messageTypes } from '../../src/protocol/message-checks.js';
import { normalize, type ResolvedMessageDefaults } from '../../src/protocol/normalize.js';

export const stamped = { messageId: 'new-id', timestamp: '2026-11-20T12:00:00.000Z' };
export const stamp = { messageId: () => stamped.messageId, timestamp: () => stamped.timestamp };

/** Returns the message that would be sent, as the collector reads it. */
export const sent = (type: MessageTypeName, message: unknown, defaults: ResolvedMessageDefaults = {}) =>
  JSON.parse(JSON.stringify(normalize(messageTypes[type], message, defaults, stamp)));

export function errorOf(type: MessageTypeName, message: unknown): string {
  try {
    normalize(messageTypes[type], message, {}, stamp);
  } catch (error) {
    if (error instanceof ValidationError) return error.message;
    throw error;
  }
  return 'accepted';
}

type Fields = Readonly<Record<string, unknown>>;

const common = {
  userId: 'u1',
  anonymousId: 'a1',
  context: { ip: '10.0.0.1' },
  integrations: { All: false, Webhooks: true },
};

const absent = { messageId: null, timestamp: null, context: null, integrations: null };

/** The tests that every call shares: what it sends, what it omits, and what it refuses. */
export function testCall(
  type: MessageTypeName,
  { full, needed, optional, refused }: { full: Fields; needed: Fields; optional: Fields; refused: [Fields, string][] },
): void {
  test(`${type} sends every given field`, () => {
    expect(sent(type, { ...common, ...full })).toEqual({ type, ...stamped, ...common, ...full });
  });

  test(`${type} sends no field that is null, and no empty id`, () => {
    const expected = { type, ...stamped, userId: 'u', ...needed };
    expect(sent(type, { ...absent, userId: 'u', anonymousId: null, ...needed, ...optional })).toEqual(expected);
    expect(sent(type, { userId: 'u', anonymousId: '', messageId: '', ...needed })).toEqual(expected);
  });

  test.each(refused)(`${type} refuses %j`, (fields, error) => {
    expect(errorOf(type, fields)).toBe(`${type}.${error}`);
  });
}

export const NOBODY = 'expected a non-empty string, or an anonymousId, got';
