import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';
import { expect, onTestFinished, test } from 'vitest';
import { runCheck } from '../../src/cli/check/run-check.js';
import { runTypes } from '../../src/cli/types.js';
import { FORMATS } from '../../src/plan/formats.js';
import { newFile } from '../cli/files.js';
import { readableTerminal } from '../cli/terminal.js';
import { read as readConfig } from '../service/config/written.js';
import { sink } from '../support/sink.js';
import { mistakesIn } from './plans.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = await readFile(join(root, 'docs/tracking-plans.md'), 'utf8');
const block = (language: string): string => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '';

const plan = block('json');

/** A folder inside the package, so that the package can import itself by name. */
async function folderWithCatalogue(): Promise<string> {
  const folder = await mkdtemp(join(root, 'test/block-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'plan.json');
  await writeFile(file, plan);
  await runTypes(file, { out: join(folder, 'events.ts') }, readableTerminal().terminal);
  return folder;
}

test('the plan on the page about tracking plans is valid, and its example of a mistake is printed as shown', () => {
  expect(mistakesIn(JSON.parse(plan))).toEqual([]);
  const shown = /^(\/events\/Order Completed\/properties\/total\/type: .*)$/m.exec(page)?.[1];
  const wrong = JSON.parse(plan);
  wrong.events['Order Completed'].properties.total = { type: 'numbr' };
  expect(mistakesIn(wrong)).toEqual([shown]);
});

test('the page about tracking plans lists the formats that are checked', () => {
  const line = page.split('\n').find((text) => text.startsWith('- `format` is checked')) ?? '';
  expect([...FORMATS.keys()].filter((name) => !line.includes(`\`${name}\``))).toEqual([]);
});

test('the check on the page about tracking plans prints what the page shows', async () => {
  const { printed, terminal } = readableTerminal();
  const rows = Array.from({ length: 1_000 }, (_, index) => ({
    type: 'track',
    event: 'Order Completed',
    properties: { orderId: 'o1', total: index === 11 ? '42' : 42 },
  }));
  const events = await newFile('events.ndjson', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const file = await newFile('plan.json', plan);
  expect(await runCheck(file, events, {}, terminal)).toBe(1);
  const shown = /^npx eventferry check .*\n((?:#.*\n)+)/m.exec(page)?.[1] ?? '';
  const expected = shown.replaceAll(/^# /gm, '');
  expect(printed.out.replaceAll(events, 'events.ndjson').replaceAll(file, 'plan.json')).toBe(expected);
});

test('the configuration on the page about tracking plans is valid', () => {
  const text = block('yaml').replace('file: ./plan.json', `plan: ${JSON.stringify(JSON.parse(plan))}`);
  const { sources } = readConfig(text, { SHOP_KEY: 'k1' });
  expect(sources[0]?.trackingPlan).toMatchObject({ onViolation: 'report', onUnknownEvent: 'block' });
});

test('the program on the page about tracking plans sends its event, and reports one that violates the plan', async () => {
  const folder = await folderWithCatalogue();
  const collector = await sink();
  const code = `${block('typescript').replace('http://127.0.0.1:4100', collector.url)}
analytics.on('violation', ({ error }) => console.log(error.message));
analytics.track({ userId: 'u1', event: 'Order Completed', properties: { orderId: 'o2', total: -1 } });
await analytics.close();
`;
  await writeFile(join(folder, 'block.mts'), code);
  const sources = ['block.mts', 'events.ts'].map((name) => join(folder, name));
  await build({ entryPoints: sources, outdir: folder, format: 'esm' });
  const child = spawn(process.execPath, [join(folder, 'block.js')]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  expect(await once(child, 'close'), output).toEqual([0, null]);
  expect(collector.messages[0]).toMatchObject({ event: 'Order Completed', properties: { orderId: 'o1', total: 42 } });
  expect(output).toMatch(/properties\.total/);
});

const TYPED = `import { Analytics } from 'eventferry';
import { events } from './events.js';
declare const options: { writeKey: string; endpoint: string };
const analytics = new Analytics({ ...options, events });
analytics.track({ userId: 'u1', event: 'Order Completed', properties: { orderId: 'o1', total: 42 } });
analytics.identify({ userId: 'u1', traits: { email: 'a@example.com', name: 'open' } });
// @ts-expect-error there is no such event
analytics.track({ userId: 'u1', event: 'Order Complete' });
// @ts-expect-error a total is needed
analytics.track({ userId: 'u1', event: 'Order Completed', properties: { orderId: 'o1' } });
// @ts-expect-error an email is text
analytics.identify({ userId: 'u1', traits: { email: 3 } });
`;

test('the compiler refuses events and properties outside the catalogue of a plan', async () => {
  const folder = await folderWithCatalogue();
  await writeFile(join(folder, 'typed.ts'), TYPED);
  const program = ts.createProgram([join(folder, 'typed.ts')], {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noEmit: true,
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
  });
  const problems = ts.getPreEmitDiagnostics(program).map(({ messageText, file, start = 0 }) => {
    const at = file?.getLineAndCharacterOfPosition(start).line;
    return `${file?.fileName}:${at} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
  expect(problems).toEqual([]);
});
