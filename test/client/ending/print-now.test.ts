import { expect, test } from 'vitest';
import { areWarningsOff } from '../../../src/client/ending/print-now.js';

test.each([
  ['--no-warnings', ['--no-warnings'], {}],
  ['NODE_NO_WARNINGS=1', [], { NODE_NO_WARNINGS: '1' }],
  ['NODE_OPTIONS with --no-warnings', [], { NODE_OPTIONS: '--enable-source-maps --no-warnings' }],
])('warnings are off with %s', (_, execArgv, env) => {
  expect(areWarningsOff({ execArgv, env })).toBe(true);
});

test.each([
  ['nothing', [], {}],
  ['another flag', ['--no-warnings-of-mine'], { NODE_OPTIONS: '--trace-warnings' }],
  ['NODE_NO_WARNINGS=0', [], { NODE_NO_WARNINGS: '0' }],
])('warnings are on with %s', (_, execArgv, env) => {
  expect(areWarningsOff({ execArgv, env })).toBe(false);
});
