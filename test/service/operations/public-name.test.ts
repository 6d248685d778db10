import { expect, test } from 'vitest';
import { publicName } from '../../../src/service/operations/public-name.js';

test.each([
  ['https://crm.example/hook/T0K3N?key=secret', 'https://crm.example'],
  ['https://user:pass@crm.example:8443/', 'https://crm.example:8443'],
  ['no url', 'unknown'],
])('the public name of %s is %s', (url, name) => {
  expect(publicName(url)).toBe(name);
});
