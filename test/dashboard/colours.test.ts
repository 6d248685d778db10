import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MESSAGE_TYPES } from '../../src/protocol/field-table.js';

const style = readFileSync(new URL('../../src/dashboard/page/style/layout.css', import.meta.url), 'utf8');

test.each(MESSAGE_TYPES)('messages of type %s have their own colour on the page', (type) => {
  expect(style).toMatch(new RegExp(`\\.${type}[ ,)][^}]*--hue: var\\(--\\w+\\)`));
});
