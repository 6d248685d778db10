import { expect, inject, test } from 'vitest';
import { commonJsDoors, doors } from './doors.js';
import { run } from './run.js';

/** A library that is bundled into the service reads such a text as the description of a property. OpenTelemetry is not installed here. */
const loads = (door: string): boolean => door !== 'eventferry/service' && door !== 'eventferry/opentelemetry';

const PUT = "Object.prototype.surprise = 'text';";

const load = (format: string, script: string): Promise<unknown> =>
  run(process.execPath, [`--input-type=${format}`, '-e', `${PUT} ${script}`], inject('project'));

test.each(doors.filter(loads))('%s is imported where a program has put a text on Object.prototype', async (door) => {
  await expect(load('module', `await import('${door}');`)).resolves.toEqual({ stdout: '', stderr: '' });
});

test.each(commonJsDoors.filter(loads))(
  '%s is required where a program has put a text on Object.prototype',
  async (door) => {
    await expect(load('commonjs', `require('${door}');`)).resolves.toEqual({ stdout: '', stderr: '' });
  },
);
