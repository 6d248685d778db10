import { expect, test } from 'vitest';
import { sink } from '../support/sink.js';
import { freshFolder } from './fresh-folder.js';

/** A catalogue with schemas of three libraries, which also exports everything that a client with this catalogue provides. */
const EVENTS = `
import { type } from 'arktype';
import { Analytics } from 'eventferry';
import { defineEvents, type EventName, type EventProperties, type TrackOf } from 'eventferry/events';
import * as v from 'valibot';
import { z } from 'zod';

export const events = defineEvents(
  {
    'Order Completed': z.object({ total: z.number(), coupon: z.string().optional() }),
    'Signed Up': v.looseObject({ plan: v.optional(v.picklist(['free', 'pro'])) }),
    Paid: type({ by: "'card'", last4: 'string' }, '|', { by: "'cash'" }),
    'Signed Out': {},
  },
  { identify: z.object({ plan: z.string() }), page: z.looseObject({ title: z.string() }), screen: z.any() },
);
export const analytics = new Analytics({ writeKey: 'dev', endpoint: process.env.ENDPOINT ?? '', events });
export const { track, identify, page, screen, group, alias, child, current, on, run } = analytics;
export const user = analytics.child({ userId: 'u1' });
export const pass = <N extends EventName<typeof events>>(message: TrackOf<typeof events, N>) => user.track(message);
export const send = <N extends EventName<typeof events>>(event: N, properties: EventProperties<typeof events, N>) =>
  user.track({ event, properties });
`;

const APP = `
import { analytics, pass, send, user } from './events.js';

interface Order { readonly total: number; coupon?: string; at: Date }
const order: Order = { total: 42, at: new Date(0) };
analytics.on('violation', ({ error }) => console.log(error.code, error.path));
analytics.track({ userId: 'u1', event: 'Order Completed', properties: order });
user.track({ event: 'Signed Up' });
user.track({ event: 'Paid', properties: { by: 'cash' } });
pass({ event: 'Signed Out', properties: null });
send('Order Completed', JSON.parse('{ "total": null }'));
analytics.identify({ userId: 'u1', traits: { plan: 'pro' } });
const { delivered, lost } = await analytics.close();
console.log(delivered, lost);
`;

const MISTAKES = `
import { Analytics } from 'eventferry';
import { analytics, user } from './events.js';
declare const name: string;
analytics.track({ userId: 'u1', event: 'Order Complete', properties: { total: 42 } });
analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: '42' } });
analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: 42, cuopon: 'x' } });
analytics.track({ userId: 'u1', event: 'Order Completed' });
analytics.track({ userId: 'u1', event: name });
user.track({ event: 'Paid', properties: { by: 'card' } });
user.identify({ traits: { plan: null } });
new Analytics({ writeKey: 'dev', endpoint: '', events: { Paid: {} } });
`;

const SAID = [
  /^mistakes\.ts\(5,.*"Order Complete".*Did you mean '"Order Completed"'\?/,
  /^mistakes\.ts\(6,.*Type 'string' is not assignable to type 'number'\./,
  /^mistakes\.ts\(7,.*'cuopon' does not exist.*Did you mean to write 'coupon'\?/,
  /^mistakes\.ts\(8,.*'\{ userId: string; event: "Order Completed"; \}' is not assignable/,
  /^mistakes\.ts\(9,.*Type 'string' is not assignable to type '"Order Completed" \| /,
  /^mistakes\.ts\(10,.*'\{ by: "card"; \}' is not assignable/,
  /^mistakes\.ts\(11,.*Type 'null' is not assignable to type 'string'\./,
  /^mistakes\.ts\(12,.*: No overload matches this call/,
];

const COMPILER_OPTIONS = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, declaration: true },
  ...{ module: 'nodenext', target: 'es2022', lib: ['es2022'], types: ['node'], skipLibCheck: true, rootDir: '.' },
};

test('a catalogue with zod, valibot and arktype types an app and its declarations, and mistakes are reported in one line each', async () => {
  const { url, messages } = await sink();
  const folder = await freshFolder(
    {
      'package.json': '{ "name": "newcomer", "private": true, "type": "module" }',
      'events.ts': EVENTS,
      'app.ts': APP,
      'mistakes.ts': MISTAKES,
      'tsconfig.json': JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['app.ts'] }),
      'mistakes.json': JSON.stringify({
        compilerOptions: { ...COMPILER_OPTIONS, noEmit: true },
        files: ['mistakes.ts'],
      }),
    },
    ['typescript@7', '@types/node@20', 'zod@4', 'valibot@1', 'arktype@2'],
  );
  expect(await folder.bin('tsc', ['-p', '.']).ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const { stdout } = await folder.bin('tsc', ['-p', 'mistakes.json', '--pretty', 'false']).ended;
  const errors = stdout.split('\n').filter((line) => line.startsWith('mistakes.ts'));
  expect(errors).toEqual(SAID.map((said) => expect.stringMatching(said)));
  // The reason is in the lines below the error.
  expect(stdout).toMatch(/'Paid' does not exist in type 'Catalogue</);
  expect(await folder.node(['app.js'], { ENDPOINT: url }).ended).toMatchObject({
    code: 0,
    stdout: 'EVENTFERRY_VIOLATION track.properties.total\n6 0\n',
    stderr: '',
  });
  expect(messages.map((message) => (message.type === 'track' ? message.event : message.type))).toEqual([
    'Order Completed',
    'Signed Up',
    'Paid',
    'Signed Out',
    'Order Completed',
    'identify',
  ]);
});

test.each(['cjs', 'mjs'])(
  'plain JavaScript in .%s is checked at the call, according to `onViolation`',
  async (format) => {
    const { url } = await sink();
    const names = (specifier: string, imported: string): string =>
      format === 'cjs' ? `const ${imported} = require('${specifier}');` : `import ${imported} from '${specifier}';`;
    const folder = await freshFolder(
      {
        [`app.${format}`]: `
        ${names('eventferry', '{ Analytics, EventferryError, ViolationError }')}
        ${names('eventferry/events', '{ defineEvents }')}
        ${names('zod', '{ z }')}
        const events = defineEvents({ 'Order Completed': z.object({ total: z.number() }) });
        const options = { writeKey: 'dev', endpoint: process.env.ENDPOINT, events };
        const wrong = { userId: 'u1', event: 'Order Completed', properties: { total: null } };
        async function main() {
          const strict = new Analytics({ ...options, onViolation: 'throw' });
          try {
            strict.track(wrong);
          } catch (error) {
            console.log(error instanceof ViolationError, error instanceof EventferryError, error.message);
          }
          const dropping = new Analytics({ ...options, onViolation: 'drop' });
          dropping.on('lost', ({ error }) => console.log('lost', error.code));
          dropping.track(wrong);
          console.log((await dropping.close()).lostByCode);
          new Analytics(options).track({ userId: 'u1', event: 'order completed' });
        }
        main();
      `,
      },
      ['zod@4'],
    );
    const { code, stdout, stderr } = await folder.node([`app.${format}`], { ENDPOINT: url }).ended;
    expect(stdout.trim().split('\n')).toEqual([
      'true true track.properties.total of "Order Completed": Invalid input: expected number, received null',
      'lost EVENTFERRY_VIOLATION',
      '{ EVENTFERRY_VIOLATION: 1 }',
    ]);
    expect(stderr).toMatch(
      /\[EVENTFERRY_UNKNOWN_EVENT\] EventferryWarning: eventferry: track\.event: .* Did you mean "Order Completed"\?/,
    );
    expect(code).toBe(0);
  },
);

const PLAN = {
  events: {
    'Order Completed': {
      type: 'object',
      properties: { orderId: { type: 'string' }, total: { type: 'number' } },
      required: ['orderId', 'total'],
      additionalProperties: false,
    },
    'Product Viewed': { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
    'Page Scrolled': true,
  },
  identify: { type: 'object', properties: { email: { type: 'string' } } },
};

const PLANNED = `
import { Analytics } from 'eventferry';
import { events } from './events.js';
const analytics = new Analytics({ writeKey: 'dev', endpoint: process.env.ENDPOINT ?? '', events, onViolation: 'throw' });
interface Viewed { sku: string; price: number }
const viewed: Viewed = { sku: 'a', price: 1 };
const userId = 'u1';
analytics.track({ userId, event: 'Order Completed', properties: { orderId: 'o1', total: 42 } });
analytics.track({ userId, event: 'Product Viewed', properties: viewed });
analytics.track({ userId, event: 'Page Scrolled' });
analytics.identify({ userId, traits: { email: 'ada@example.com' } });
for (const call of [
  // @ts-expect-error There is no such event.
  () => analytics.track({ userId, event: 'Order Complete' }),
  // @ts-expect-error A total is needed.
  () => analytics.track({ userId, event: 'Order Completed', properties: { orderId: 'o1' } }),
  // @ts-expect-error A text is needed.
  () => analytics.identify({ userId, traits: { email: 1 } }),
]) {
  try {
    call();
  } catch (error) {
    console.log((error as { path: string }).path);
  }
}
console.log((await analytics.close()).delivered);
`;

test('the file that `eventferry types` generates from a plan types a client and checks its calls', async () => {
  const { url } = await sink();
  const folder = await freshFolder(
    {
      'package.json': '{ "name": "newcomer", "private": true, "type": "module" }',
      'plan.json': JSON.stringify(PLAN),
      'app.ts': PLANNED,
      'tsconfig.json': JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['app.ts'] }),
    },
    ['typescript@7', '@types/node@20'],
  );
  expect(await folder.bin('eventferry', ['types', 'plan.json', '--out', 'events.ts']).ended).toMatchObject({ code: 0 });
  expect(await folder.bin('tsc', ['-p', '.']).ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(await folder.node(['app.js'], { ENDPOINT: url }).ended).toMatchObject({
    code: 0,
    stdout: 'track.event\ntrack.properties.total\nidentify.traits.email\n4\n',
  });
});
