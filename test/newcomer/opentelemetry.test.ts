import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sink } from '../support/sink.js';
import { freshFolder } from './fresh-folder.js';

const example = readFileSync(join(import.meta.dirname, '../../examples/opentelemetry.ts'), 'utf8');

/** The other build with the API only, which does nothing without an SDK. */
const COMMON_JS = `
const { Analytics } = require('eventferry');
const { instrumentAnalytics } = require('eventferry/opentelemetry');
const analytics = new Analytics({ writeKey: 'k', endpoint: process.env.EVENTFERRY_ENDPOINT });
instrumentAnalytics(analytics);
analytics.track({ userId: 'u1', event: 'Order Completed' });
analytics.close().then(({ delivered }) => console.log(delivered, 'delivered'));
`;

test('the packed package reports metrics and spans, both as an ES module and as CommonJS', async () => {
  const sdk = ['context-async-hooks@2', 'sdk-metrics@2', 'sdk-trace-base@2'].map((name) => `@opentelemetry/${name}`);
  const files = {
    'package.json': '{ "name": "newcomer", "private": true, "type": "module" }',
    'example.ts': example,
    'common.cjs': COMMON_JS,
  };
  const folder = await freshFolder(files, ['@opentelemetry/api@1', ...sdk, 'tsx@4']);
  const { url: EVENTFERRY_ENDPOINT, messages } = await sink();
  const module = await folder.bin('tsx', ['example.ts'], { EVENTFERRY_ENDPOINT }).ended;
  expect(module).toMatchObject({ code: 0, stderr: '' });
  expect(module.stdout).toMatch(/^span POST \/orders, 0 links\nspan flush, 1 links\n/);
  const common = await folder.node(['common.cjs'], { EVENTFERRY_ENDPOINT }).ended;
  expect(common).toMatchObject({ code: 0, stdout: '1 delivered\n', stderr: '' });
  expect(messages).toMatchObject([{ context: { traceparent: expect.stringMatching(/^00-/) } }, { userId: 'u1' }]);
});
