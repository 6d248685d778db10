import { expect, inject, test } from 'vitest';
import { commonJsDoors, doors } from './doors.js';
import { run } from './run.js';

/** OpenTelemetry is not installed here. */
const loads = (door: string): boolean => door !== 'eventferry/opentelemetry';

const PUT = "Object.prototype.surprise = 'text';";

const load = (format: string, script: string): Promise<unknown> =>
  run(process.execPath, [`--input-type=${format}`, '-e', `${PUT} ${script}`], inject('project'));

test.each(doors.filter(loads))('%s can be imported if a program has added a text to Object.prototype', async (door) => {
  await expect(load('module', `await import('${door}');`)).resolves.toEqual({ stdout: '', stderr: '' });
});

test.each(commonJsDoors.filter(loads))(
  '%s can be required if a program has added a text to Object.prototype',
  async (door) => {
    await expect(load('commonjs', `require('${door}');`)).resolves.toEqual({ stdout: '', stderr: '' });
  },
);

test('a destination can be opened if a program has added a text to Object.prototype', async () => {
  const script = `const { Destination } = await import('eventferry/destination');
    await (await Destination.open({ webhooks: [{ url: 'https://example.com/' }] })).close();`;
  await expect(load('module', script)).resolves.toEqual({ stdout: '', stderr: '' });
});
