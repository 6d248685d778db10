import { expect, test } from 'vitest';
import { firstNames } from '../../../../src/dashboard/page/ui/first-names.js';

test.each([
  [[], ''],
  [['CRM'], 'CRM'],
  [['CRM', 'Warehouse'], 'CRM, Warehouse'],
  [['CRM', 'Warehouse', ...Array(1_498).fill('x')], 'CRM, Warehouse and 1,498 more'],
])('of %o the first names are said, and how many more there are', (names, text) => {
  expect(firstNames(names)).toBe(text);
});
