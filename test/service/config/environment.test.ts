import { expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from '../../../src/service/config/load-config.js';
import { newFile } from '../../cli/files.js';
import { mistakesWith, read } from './written.js';

test('a variable that is not set is named in the error', () => {
  expect(mistakesWith({ admin: { token: 'a${NOT_SET}b' } })).toEqual([
    'admin.token: the environment to have NOT_SET, got no such variable',
  ]);
});

test('a variable that is set to nothing is an empty text', () => {
  expect(mistakesWith({ listen: { host: '${EMPTY}' } }, { EMPTY: '' })).toEqual([
    'listen.host: an address or the name of a host, got the value of ${EMPTY}',
  ]);
});

test('a reference with an invalid name is a mistake', () => {
  expect(mistakesWith({ listen: { host: '${a-b}' } })).toEqual([
    'listen.host: ${NAME} with letters, digits and _, ${file:PATH}, or $${ for a plain ${, got another text',
  ]);
});

test.each(['__proto__', 'constructor', 'toString'])('a variable is not looked up on the prototype: %s', (name) => {
  expect(mistakesWith({ listen: { host: `\${${name}}` } })).toHaveLength(1);
});

test('variables are replaced in texts, completely or in part, and nowhere else', () => {
  const config = read(
    `
sources: [{ name: shop, writeKeys: [k], trackSchema: { allowed: ["\${KEY}", "a-\${KEY}-\${OTHER}", "$\${KEY}", "$KEY"] } }]
`,
    { KEY: 'k1', OTHER: '${KEY}' },
  );
  expect(config.sources[0]?.trackSchema.allowed).toEqual(['k1', 'a-k1-${KEY}', '${KEY}', '$KEY']);
});

test('a variable is a number or boolean where one is expected, and a text elsewhere', () => {
  const config = read(
    `
listen: { port: "\${NUMBER}" }
sources: [{ name: "\${NUMBER}", writeKeys: ["\${NUMBER}"], trackSchema: { allowed: ["\${SWITCH}"] } }]
destinations:
- name: crm
  type: Webhooks
  enabled: \${SWITCH}
  webhooks: [{ url: https://example.com/, requestTimeout: "\${NUMBER}0" }]
`,
    { NUMBER: '4100', SWITCH: 'false' },
  );
  expect(config.listen.port).toBe(4100);
  expect(config.sources[0]).toMatchObject({ name: '4100', writeKeys: ['4100'], trackSchema: { allowed: ['false'] } });
  expect(config.destinations[0]).toMatchObject({ enabled: false, webhooks: [{ requestTimeout: 41_000 }] });
});

test('variables come from the environment of the process unless another one is given', async () => {
  vi.stubEnv('EVENTFERRY_TEST_KEY', 'k1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const file = await newFile('eventferry.yaml', 'sources: [{ name: shop, writeKeys: ["${EVENTFERRY_TEST_KEY}"] }]');
  expect((await loadConfig(file)).sources[0]?.writeKeys).toEqual(['k1']);
  const { sources } = await loadConfig(file, { env: { EVENTFERRY_TEST_KEY: 'k2' } });
  expect(sources[0]?.writeKeys).toEqual(['k2']);
});
