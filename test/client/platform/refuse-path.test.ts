import { expect, test } from 'vitest';
import { refusePath } from '../../../src/client/platform/refuse-path.js';
import { OTHER_PATHS } from '../../../src/protocol/collector-paths.js';
import { MESSAGE_TYPES } from '../../../src/protocol/field-table.js';

const BASE = 'https://events.example.com/a';

test.each([...Object.keys(OTHER_PATHS), ...MESSAGE_TYPES, 'Track', 'batch/'])(
  'an endpoint that ends in /v1/%s is refused with the base URL to use',
  (name) => {
    expect(() => refusePath(`${BASE}/v1/${name}`)).toThrow(`got one that ends in /v1/${name}. Give '${BASE}'`);
  },
);

test.each([BASE, `${BASE}/v1`, `${BASE}/v1/`, `${BASE}/v1/other`, `${BASE}/v1/constructor`, `${BASE}/v1/batch/x`])(
  'the endpoint %s is accepted',
  (endpoint) => {
    expect(() => refusePath(endpoint)).not.toThrow();
  },
);
