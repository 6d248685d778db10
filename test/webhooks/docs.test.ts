import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { EVENT_TYPES } from '../../src/protocol/field-table.js';
import * as webhooks from '../../src/webhooks/index.js';
import * as testing from '../../src/webhooks/testing/index.js';
import { runCode } from '../support/run-code.js';
import { urlOf } from './listen.js';

const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
const snippets = new Map(
  [...page.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)].map(([, name = '', code = '']) => [name, code]),
);

const require = createRequire(import.meta.url);
const doors: Record<string, object> = { 'eventferry/webhooks': webhooks, 'eventferry/webhooks/testing': testing };

/** Runs a snippet unchanged except for the port. Returns what it exports, the server it started and what it printed. */
async function run(name: string) {
  const code = (snippets.get(name) ?? '').replaceAll('3000', '0');
  const servers: Server[] = [];
  const listen = Server.prototype.listen;
  const spy = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
    servers.push(this);
    return Reflect.apply(listen, this, args);
  });
  const exported = await runCode(code, (id) => doors[id] ?? require(id));
  spy.mockRestore();
  const [server] = servers;
  if (server !== undefined) {
    onTestFinished(() => void server.close());
    await expect.poll(() => server.listening).toBe(true);
  }
  return { exported, url: server === undefined ? '' : `${urlOf(server)}/webhooks` };
}

const secret = 'from the environment';
const printed: string[] = [];

beforeEach(() => {
  vi.stubEnv('WEBHOOK_SECRET', secret);
  vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words.join(' ')));
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  printed.length = 0;
});

const track = () => testing.sampleDelivery('track', { secret });
const forged = () => testing.sampleDelivery('track', { secret: 'another' });
const request = (delivery: RequestInit) => new Request('https://example.com/webhooks', delivery);

const post = async (url: string, delivery: RequestInit): Promise<number> => {
  const response = await fetch(url, { ...delivery, headers: { ...delivery.headers, connection: 'close' } });
  await response.text();
  return response.status;
};

/** Returns the errors that TypeScript finds in the snippets, in a project of a reader who has installed the package. */
function complaints(): string[] {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const paths = {
    'eventferry/webhooks': [join(root, 'src/webhooks/index.ts')],
    'eventferry/webhooks/testing': [join(root, 'src/webhooks/testing/index.ts')],
  };
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, exactOptionalPropertyTypes: true, types: ['node'], paths },
    ...{
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      moduleDetection: ts.ModuleDetectionKind.Force,
    },
  };
  const files = new Map([...snippets].map(([name, code]) => [join(root, `test/webhooks/snippet-${name}.ts`), code]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.getSourceFile = (file, target) => {
    const code = files.get(file);
    return code === undefined ? getSourceFile(file, target) : ts.createSourceFile(file, code, target);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  // Only the snippets are checked, because the package itself is compiled elsewhere.
  const diagnostics = [...files.keys()].flatMap((file) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(file)),
  );
  return diagnostics.map(({ file, messageText }) => {
    return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

describe('each snippet of the page on receiving', () => {
  test('this test knows every snippet of docs/webhooks.md', () => {
    const unnamed = [...page.matchAll(/^```(\S*)( \S+)?$/gm)].filter(([, language, name]) => language && !name);
    expect(unnamed).toEqual([]);
    const servers = ['node', 'express', 'express-raw', 'express-verify', 'koa', 'fastify', 'hono'];
    const others = ['next', 'lambda', 'bun', 'deno', 'seen', 'order', 'testing', 'signature'];
    expect([...snippets.keys()]).toEqual([...servers, ...others]);
  });

  test('every snippet of docs/webhooks.md compiles in a strict project', { timeout: 60_000 }, () => {
    expect(complaints()).toEqual([]);
  });

  test.each(['express', 'express-raw', 'express-verify', 'koa', 'fastify', 'hono'])(
    'the snippet %s of docs/webhooks.md works',
    async (name) => {
      const { url } = await run(name);
      expect([await post(url, track()), await post(url, forged())]).toEqual([200, 401]);
      expect(printed).toEqual(['track']);
    },
  );

  test('the snippet node of docs/webhooks.md works', async () => {
    const { url } = await run('node');
    for (const delivery of testing.sampleDeliveries({ secret })) expect(await post(url, delivery)).toBe(200);
    expect(printed).toEqual(['user-1: Order Completed', 'forget user-1']);
  });

  test('the snippet seen of docs/webhooks.md works', async () => {
    const { url } = await run('seen');
    expect([await post(url, track()), await post(url, track())]).toEqual([200, 200]);
    expect(printed).toEqual(['track']);
  });

  test.each([
    ['next', 'POST'],
    ['bun', 'default.fetch'],
    ['deno', 'default.fetch'],
  ])('the snippet %s of docs/webhooks.md works', async (name, path) => {
    const { exported } = await run(name);
    const handle = path === 'POST' ? exported.POST : exported.default.fetch;
    expect((await handle(request(track()))).status).toBe(200);
    expect((await handle(request(forged()))).status).toBe(401);
    expect(printed).toEqual(['track']);
  });

  test('the snippet lambda of docs/webhooks.md accepts a body as text and in base64', async () => {
    const { handler } = (await run('lambda')).exported;
    const { body, headers } = track();
    const event = { requestContext: { http: { method: 'POST' } }, headers, body, isBase64Encoded: false };
    expect(await handler(event)).toMatchObject({ statusCode: 200, body: 'ok\n' });
    const encoded = { ...event, body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
    expect(await handler(encoded)).toMatchObject({ statusCode: 200 });
    const { body: _, ...get } = { ...event, requestContext: { http: { method: 'GET' } } };
    expect(await handler(get)).toMatchObject({ statusCode: 405 });
    expect(printed).toEqual(['track', 'track']);
  });

  test('the snippet testing of docs/webhooks.md works', async () => {
    await run('testing');
    expect(printed.filter((line) => /^\d+$/.test(line))).toEqual([...EVENT_TYPES.map(() => '200'), '401', '200']);
  });

  test('the snippet signature of docs/webhooks.md works', async () => {
    await run('signature');
    expect(printed).toEqual(['dcfe4daa3996d393f746d4c978859203c949665d', 'true', 'false']);
  });
});

test('docs/webhooks.md names every option of the receiver', () => {
  const source = readFileSync(new URL('../../src/webhooks/receiver-options.ts', import.meta.url), 'utf8');
  const declared = /interface ReceiverOptions \{(.*?)^\}/ms.exec(source)?.[1] ?? '';
  const options = [...declared.matchAll(/^ {2}(\w+)\??:/gm)].map(([, option]) => option);
  const table = page.slice(page.indexOf('## Options'), page.indexOf('## Testing'));
  expect([...table.matchAll(/^\| `(\w+)/gm)].map(([, option]) => option)).toEqual(options);
});
