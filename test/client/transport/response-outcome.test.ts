import { expect, test } from 'vitest';
import { classifyStatus, type ResponseVerdict } from '../../../src/client/transport/response-outcome.js';

const table: [ResponseVerdict, number[]][] = [
  ['delivered', [200, 201, 202, 204, 299]],
  ['retry', [408, 410, 425, 429, 460, 500, 502, 503, 504, 506, 510, 520, 599]],
  ['split', [400, 413]],
  ['rejected', [301, 302, 303, 304, 307, 308, 401, 402, 403, 404, 405, 409, 411, 415, 422, 451, 501, 505, 511]],
  ['rejected', [0, 100, 199, 600, 999]],
];

test.each(table)('the verdict is %s for the statuses %j', (verdict, statuses) => {
  for (const status of statuses) expect(classifyStatus(status), String(status)).toBe(verdict);
});
