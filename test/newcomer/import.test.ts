import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.js';
import { type Answer, ok, sink, status } from '../support/sink.js';
import { type FreshFolder, freshFolder, type Program } from './fresh-folder.js';

const MANY = 1_000_000;
const FEW = 20_000;
/**
 * How many times as much memory a million wrong rows may take as a few good ones. If each were kept in memory, they would take
 * ten times as much.
 */
const MOST_RATIO = 2;

const KEY = { EVENTFERRY_WRITE_KEY: 'dev' };

/** Imports rows of a type, and prints the report and the peak memory of the process. */
const importing = `
import { Analytics } from 'eventferry';
const [count, type] = [Number(process.argv[2]), process.argv[3]];
function* rows() {
  for (let index = 0; index < count; index++) yield { type, userId: 'u1', event: 'Paid', timestamp: 1556703000000 + index };
}
const analytics = new Analytics({ writeKey: 'dev', endpoint: process.env.EVENTFERRY_ENDPOINT });
const { invalid, ...report } = await analytics.import(rows()).catch(({ message, code: errorCode, cause, report }) => {
  console.log(JSON.stringify({ message, errorCode, cause: cause.code }));
  return report;
});
await analytics.close({ timeout: 0 });
console.log(JSON.stringify({ ...report, kept: invalid.length, maxRSS: process.resourceUsage().maxRSS }));
`;

/** Loaded before the command, to print its peak memory. */
const measuring = `process.on('exit', () => console.log(JSON.stringify({ maxRSS: process.resourceUsage().maxRSS })));`;

const FILES = { 'app.mjs': importing, 'measuring.mjs': measuring };

const command = (folder: FreshFolder, args: readonly string[], endpoint: string): Program =>
  folder.node(['--import', './measuring.mjs', 'node_modules/eventferry/dist/cli.js', 'import', ...args, '--json'], {
    ...KEY,
    EVENTFERRY_ENDPOINT: endpoint,
  });

/** Returns all JSON lines of the program's output as one object, with its exit code. */
async function resultOf(program: Program): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await program.ended;
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return Object.assign(
    { code, stopped: last.startsWith('{"error"') ? JSON.parse(last).error.message : undefined },
    ...stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
}

const row = (type: string): string => `${JSON.stringify({ type, userId: 'u1', event: 'Paid', timestamp: 0 })}\n`;

test('a million wrong rows take no more memory than a few good ones, both in a program and with the command', async () => {
  const { url } = await sink();
  const [good, bad] = [row('track'), row('sale')];
  const folder = await freshFolder({ ...FILES, 'good.ndjson': good.repeat(FEW), 'bad.ndjson': bad.repeat(MANY) });
  const program = (count: number, type: string) =>
    resultOf(folder.node(['app.mjs', String(count), type], { EVENTFERRY_ENDPOINT: url }));
  const [fewInProgram, fewInCommand] = await Promise.all([
    program(FEW, 'track'),
    resultOf(command(folder, ['good.ndjson'], url)),
  ]);
  const [manyInProgram, manyInCommand] = await Promise.all([
    program(MANY, 'sale'),
    resultOf(command(folder, ['bad.ndjson', '--rejects', 'rejected.ndjson'], url)),
  ]);
  expect(fewInProgram).toMatchObject({ code: 0, delivered: FEW });
  expect(fewInCommand).toMatchObject({ code: 0, delivered: FEW });
  expect(manyInProgram).toMatchObject({
    code: 0,
    invalidRows: MANY,
    kept: 1_000,
  });
  expect(manyInCommand).toMatchObject({ code: 1, delivered: 0, rejected: MANY });
  expect(Number(manyInProgram['maxRSS']) / Number(fewInProgram['maxRSS'])).toBeLessThan(MOST_RATIO);
  expect(Number(manyInCommand['maxRSS']) / Number(fewInCommand['maxRSS'])).toBeLessThan(MOST_RATIO);
});

test("a spreadsheet with semicolons and times without a zone can be imported by following the command's suggestions", async () => {
  const { url, messages } = await sink();
  const csv = '\ufefftype;userId;event;timestamp\r\ntrack;u1;Paid;2019-05-01 09:30:00\r\n';
  const folder = await freshFolder({ ...FILES, 'orders.csv': csv });
  const run = (...options: string[]) => resultOf(command(folder, ['orders.csv', ...options], url));
  await expect(run()).resolves.toMatchObject({ code: 3, stopped: expect.stringContaining("--delimiter ';'") });
  await expect(run('--delimiter', ';')).resolves.toMatchObject({
    code: 1,
    firstRejects: [{ line: 2, reason: expect.stringContaining('--timezone') }],
  });
  await expect(run('--delimiter', ';', '--timezone', 'Europe/Berlin')).resolves.toMatchObject({
    code: 0,
    delivered: 1,
  });
  expect(messages).toMatchObject([{ event: 'Paid', timestamp: '2019-05-01T07:30:00.000Z' }]);
});

test('an import to a host where nothing listens reports that while it waits, and does not suggest repeating the command', async () => {
  const folder = await freshFolder({ ...FILES, 'a.ndjson': row('track') });
  const program = command(folder, ['a.ndjson'], `http://127.0.0.1:${await freePort()}`);
  await new Promise<void>((resolve, reject) => {
    let told = '';
    program.child.stderr?.on('data', (chunk) => {
      told += chunk;
      if (told.includes('ECONNREFUSED')) resolve();
    });
    program.ended.then(({ stdout }) => reject(new Error(`It ended without a word: ${stdout}`)), reject);
  });
  program.child.kill('SIGINT');
  await expect(resultOf(program)).resolves.toMatchObject({ code: 130, delivered: 0, canResume: false });
});

test("an import to a server that refuses everything stops with the server's reason, and counts no row as done", async () => {
  let isMended = false;
  const said = 'The plain HTTP request was sent to HTTPS port';
  const answer: Answer = () => (isMended ? ok() : status(400, {}, said));
  const { url, messages } = await sink(...Array<Answer>(1_000).fill(answer));
  const folder = await freshFolder({ ...FILES, 'a.ndjson': row('track').repeat(FEW) });
  const [inProgram, inCommand] = await Promise.all([
    resultOf(folder.node(['app.mjs', String(FEW), 'track'], { EVENTFERRY_ENDPOINT: url })),
    resultOf(command(folder, ['a.ndjson'], url)),
  ]);
  expect(inProgram).toMatchObject({
    message: expect.stringContaining(said),
    errorCode: 'EVENTFERRY_IMPORT_STOPPED',
    cause: 'EVENTFERRY_REFUSES_ALL',
    delivered: 0,
    resumeAt: 0,
  });
  expect(inCommand).toMatchObject({ code: 4, delivered: 0, rejected: 0, stopped: expect.stringContaining(said) });
  expect(inCommand['stopped']).toContain(url);
  isMended = true;
  const resumed = await resultOf(command(folder, ['a.ndjson'], url));
  expect(resumed).toMatchObject({ code: 0, delivered: FEW });
  expect(messages).toHaveLength(FEW);
});
