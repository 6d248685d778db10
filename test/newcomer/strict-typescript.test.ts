import { expect, test } from 'vitest';
import { freshFolder } from './fresh-folder.js';

/** The types that a TypeScript app has: interfaces, classes, type parameters, and a session that may have no user. */
const APP = `
import { Analytics, type Message } from 'eventferry';

interface Order { readonly id: string; total: number; coupon?: string; items: readonly { sku: string }[] }
class Plan { readonly #price = 9; name = 'pro'; price(): number { return this.#price; } }
interface Session { userId?: string; anonymousId?: string | null; expires: Date }
interface Surroundings { ip: string; tenant: string }

const analytics = new Analytics({ writeKey: 'dev', endpoint: 'http://127.0.0.1:4100', before: withoutIp });

function withoutIp(message: Message): Message | null {
  return message.userId === 'robot' ? null : { ...message, context: { ...message.context, ip: undefined } };
}

export function ordered(session: Session, order: Order, surroundings: Surroundings): void {
  analytics.track({ ...session, event: 'Order Completed', properties: order, context: surroundings });
  analytics.identify(session);
  analytics.identify({ ...session, traits: new Plan() });
  analytics.page({ userId: 'u1', properties: { url: null, title: 'Thank you', order } });
  analytics.child({ ...session, context: surroundings }).track({ event: 'Order Completed', properties: order });
}

export function tracked<P extends object>(userId: string | null, properties: P): void {
  analytics.track({ userId, anonymousId: 'a1', event: 'Order Completed', properties });
  analytics.track({ userId: userId ?? undefined, event: 'Order Completed', properties });
}

export function rows(found: readonly Record<string, unknown>[]): void {
  for (const row of found) analytics.track({ userId: String(row['id']), event: 'Order Completed', properties: row });
}
`;

const MISTAKES = `
import { Analytics } from 'eventferry';
declare const analytics: Analytics;
analytics.track({ event: 'Order Completed' });
analytics.track({ userId: 'u1', event: 'Order Completed', propertes: {} });
analytics.track({ userId: 'u1', event: 'Order Completed', properties: ['a'] });
analytics.page({ userId: 'u1', properties: { url: 1 } });
`;

/** The exports of a project whose declarations are to be written, without any type annotation. */
const DECLARATIONS = `
import { Analytics } from 'eventferry';
import { AdminClient } from 'eventferry/admin';
import { Collector } from 'eventferry/collector';
import { Destination, lmdbStore, memoryStore } from 'eventferry/destination';
import { createReceiver, standardHeaders, toFastifyPlugin, toKoaMiddleware, toNodeHandler, toWebHandler } from 'eventferry/webhooks';
import { sampleDeliveries, sampleEvents } from 'eventferry/webhooks/testing';

export const analytics = new Analytics({ writeKey: 'dev', endpoint: 'http://127.0.0.1:4100' });
export const { track, identify, page, group, alias, screen, flush, child, on, ready, stats, close } = analytics;
export const load = analytics.import;
export const receipt = analytics.track({ userId: 'u', event: 'e' });
export const counts = analytics.stats();
export const user = analytics.child({ userId: 'u' });
export const report = analytics.import([]);
export const receiver = createReceiver({ secrets: 's', onEvent: () => {} });
export const node = toNodeHandler(receiver);
export const koa = toKoaMiddleware(receiver);
export const fastify = toFastifyPlugin(receiver);
export const web = toWebHandler(receiver);
export const receive = receiver.receive;
export const samples = sampleDeliveries();
export { sampleEvents };
export const headers = standardHeaders({ id: 'a', timestampSeconds: 1, body: '', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' });
export const collector = new Collector({ writeKeys: ['dev'], onMessages: () => {} });
export const { handler } = collector;
export const listen = () => collector.listen();
export const store = memoryStore();
export const disk = () => lmdbStore({ path: 'x' });
export const destination = await Destination.open({ webhooks: [{ url: 'https://example.com' }], store });
export const counters = () => destination.counters();
export const endpoints = () => destination.endpoints();
export const explained = () => destination.explain('a');
export const letters = () => destination.deadLetters({});
export const delivered = (id: string) => destination.deliver({ type: 'delete', userId: id, timestamp: '2026-11-20T12:00:00.000Z' });
export const admin = new AdminClient({ url: 'http://127.0.0.1:1', token: 't' });
export const synced = () => admin.syncAudience('a', []);
`;

const COMPILER_OPTIONS = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
  ...{ module: 'nodenext', target: 'es2022', lib: ['es2022'], types: [], skipLibCheck: false },
};

test('strict TypeScript accepts calls with interfaces, classes, sessions and type parameters, and mistakes are reported in one line each', async () => {
  const folder = await freshFolder(
    {
      'package.json': '{ "name": "newcomer", "private": true, "type": "module" }',
      'app.ts': APP,
      'mistakes.ts': MISTAKES,
      'app.json': JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['app.ts'] }),
      'mistakes.json': JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['mistakes.ts'] }),
    },
    ['typescript@7'],
  );
  expect(await folder.bin('tsc', ['-p', 'app.json']).ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const { stdout } = await folder.bin('tsc', ['-p', 'mistakes.json', '--pretty', 'false']).ended;
  const errors = stdout.split('\n').filter((line) => line.startsWith('mistakes.ts'));
  expect(errors).toHaveLength(4);
  expect(errors[0]).toContain("'{ event: string; }' is not assignable to parameter of type 'Track & Identity'");
  expect(errors[1]).toContain("Did you mean to write 'properties'?");
  expect(errors[2]).toContain("'string[]' is not assignable");
  expect(errors[3]).toContain("'number' is not assignable to type 'string'");
});

test('the declarations of a file that exports values of every entry point can be written, because all their types can be imported', async () => {
  const compilerOptions = {
    ...COMPILER_OPTIONS,
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, isolatedModules: true },
    ...{ types: ['node'], rootDir: '.', outDir: 'types' },
  };
  const folder = await freshFolder(
    {
      'package.json': '{ "name": "newcomer", "private": true, "type": "module" }',
      'exports.ts': DECLARATIONS,
      'tsconfig.json': JSON.stringify({ compilerOptions, files: ['exports.ts'] }),
    },
    ['typescript@7', '@types/node@20'],
  );
  expect(await folder.bin('tsc', ['-p', '.']).ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
});
