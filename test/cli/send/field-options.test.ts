import { expect, test } from 'vitest';
import { fieldOptions } from '../../../src/cli/send/field-options.js';
import type { MessageTypeName } from '../../../src/protocol/calls.js';
import { ownFields } from '../../../src/protocol/own-fields.js';

const types = Object.keys(fieldOptions) as MessageTypeName[];

test.each(types)('send %s has an option for each of its fields, and the common options of every type', (type) => {
  const fields = fieldOptions[type].map(({ field }) => field);
  const common = ['context', 'integrations', 'timestamp', 'messageId'];
  expect(fields).toEqual(expect.arrayContaining([...Object.keys(ownFields[type]), ...common]));
  expect(new Set(fields).size).toBe(fields.length);
  expect(fields.includes('anonymousId')).toBe(type !== 'alias');
});

test('the options of send have the names that commander uses', () => {
  const found = fieldOptions.track.find(({ field }) => field === 'messageId');
  expect(found?.option).toMatchObject({
    flags: '--message-id <id>',
    description: 'the id of the message (default: a UUID of version 7)',
  });
  expect(found?.option.attributeName()).toBe('messageId');
  expect(fieldOptions.track.filter(({ isJson }) => isJson).map(({ field }) => field)).toEqual([
    'properties',
    'context',
    'integrations',
  ]);
});
