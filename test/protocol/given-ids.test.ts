// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are templates that were not filled in.
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { AdminClient } from '../../src/admin/index.js';
import { type Analytics, Analytics as Client } from '../../src/index.js';
import { withRun } from '../../src/middleware/index.js';
import type { MessageTypeName } from '../../src/protocol/calls.js';
import { MESSAGE_TYPES } from '../../src/protocol/field-table.js';
import type { Message } from '../../src/protocol/message.js';
import { listedUsers } from '../../src/service/audiences/listed-users.js';
import { captureAnalytics } from '../../src/testing/index.js';
import { run } from '../cli/command.js';
import { newJournal } from '../cli/journal/new-journal.js';
import { useWarnings } from '../client/calls/warnings.js';
import { client } from '../support/client.js';
import { callOf, NEEDED } from '../support/sample-calls.js';

const endpoint = 'http://127.0.0.1:1';
const warnings = useWarnings();

class Session {
  // A program that forgets to call it converts the function's code to text.
  id() {
    return 's1';
  }
  async load() {
    return {};
  }
}
const of = 'u1';

/** The texts that result when a program converts a value that is not an id to text. */
const STRINGIFIED = [
  ...[undefined, Number.NaN, {}, new Map(), new Set(), new Date(Number.NaN), Symbol('id')].map(String),
  ...[
    Promise.resolve(),
    new Response(),
    Object.create(null, { [Symbol.toStringTag]: { value: 'Row of a table' } }),
  ].map((value) => Object.prototype.toString.call(value)),
  ...['Invalid date', 'Invalid DateTime'],
  ...[Session, new Session().id, new Session().load, () => of, (user: string) => user, async () => of].map(String),
  ...['function () { return 1 }', 'async function* ids() {}', '()=>this.id', 'u=>u.id', 'async u=>u.id'],
  ...['() => { [native code] }', 'function toString() { [native code] }', '*ids() { yield 1; }', 'class{}'],
  ...[Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, true, false].map(String),
  ...[{}, [], '', [null], [undefined, Number.NaN], 'undefined', { id: undefined }].map((value) =>
    JSON.stringify(value),
  ),
  ...[
    [undefined, undefined],
    [{}, {}],
    [Number.NaN, {}, null, true],
  ].map(String),
  ...['undefined,undefined', 'undefined undefined', 'undefined-null', 'null:null', 'NaN|NaN', 'undefinedundefined'],
  ...["''", '{ }', '[ ]', '[[]]', '"null"', "'undefined'", ' undefined', '-Infinity/Infinity'],
  ...[
    '${userId}',
    '{{userId}}',
    '{{ user.id }}',
    '<%= id %>',
    '#{id}',
    '%{id}',
    'user-${id}',
    'org_${id}_prod',
    '${org}:7',
    '{{{id}}}',
  ],
];
const BLANKS = [' ', ' \t', '\u00a0\u3000', '\u200b\ufeff'];
const CONTROLS = ['u2\r', '\u0000u1', '\u001bu1', 'u\u007f', 'u1\n'];
const REFUSED = [...STRINGIFIED, ...BLANKS, ...CONTROLS];

/** Ids that users really have, although some look like a mistake. */
const ACCEPTED = [
  ...['u1', '0', 'null-1', 'undefined-1', 'Undefined', 'nan', 'NAN', 'Nan', 'object Object', 'True'],
  ...['-', '_', '.', ':', 'infinity', 'trued', 'annul', 'construe', '-1', 'a,b', 'null,1', '$1', '{1}', 'a{{', '50%'],
  ...['{f47ac10b-58cc-4372-a567-0e02b2c3d479}', '{"a":{"b":{"c":1}}}', '"ada"', 'Mr. Null', 'nonnull'],
  ...[
    'ada@example.com',
    'ada+news@example.com',
    'auth0|5f7c8ec7',
    'google-oauth2|103',
    'a b',
    ' u1',
    'functional',
    'class 7b',
  ],
  ...[
    'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    'QmFzZTY0+/==',
    'a=>b',
    'x => y',
    '日本',
    '🌍',
    '{"id":1}',
    '[1]',
    '(EU) 7',
    'f(x)',
  ],
  ...['Symbol', 'symbols(1', 'Invalid', 'invalid date 3', 'classroom {1}', 'b(1) [2]', 'u\u200b1'],
];

const fields = { type: 'track', userId: 'u1', timestamp: '2026-11-20T12:00:00.000Z', event: 'e' };
const call = (analytics: Analytics, type: string, ids: object): unknown =>
  callOf(analytics, type as MessageTypeName, { ...NEEDED, ...ids });

/** Passes an id to one of the package's entry points, and returns its error; undefined if it accepts the id. */
type Door = (id: string) => Promise<string | undefined>;

const thrown = (act: () => unknown): string | undefined => {
  try {
    act();
  } catch (error) {
    return String(error);
  }
  return undefined;
};
const rejected = async (promise: Promise<unknown>): Promise<string | undefined> =>
  promise.then(() => undefined, String);

const newClient = (options: object = {}): Analytics => client({ endpoint, enabled: false, ...options }).analytics;
const admin = new AdminClient({ url: endpoint, token: 't'.repeat(32) });
const refusalOf = async (promise: Promise<unknown>): Promise<string | undefined> => {
  const error = await rejected(promise);
  return error?.includes('AdminConnectionError') ? undefined : error;
};
const printed = async (args: string[]): Promise<string | undefined> => {
  const { code, err } = await run(args);
  // Nothing listens there, so an accepted message is lost after the first attempt.
  return code === 0 || /lost|Cannot|ECONNREFUSED/.test(err) ? undefined : err;
};

const IDS = ['userId', 'anonymousId', 'messageId'];
const fieldsOf = (type: string): string[] => [
  ...IDS,
  // Collectors store these ids for messages of any type.
  ...['groupId', 'previousId'].filter((name) => type !== 'alias' || name === 'previousId'),
];

const doors: Record<string, Door> = Object.fromEntries([
  ...MESSAGE_TYPES.flatMap((type) =>
    fieldsOf(type).map((name): [string, Door] => [
      `${type}({ ${name} })`,
      async (id) => thrown(() => call(newClient(), type, { [name]: id })),
    ]),
  ),
  ...IDS.flatMap((name): [string, Door][] => [
    [
      `${name} of a row of an import`,
      async (id) => {
        const { invalidRows } = await newClient().import([{ ...fields, [name]: id } as never]);
        return invalidRows === 1 ? 'an invalid row' : undefined;
      },
    ],
    [
      `${name} of what \`before\` returns`,
      async (id) => {
        const { analytics, lost } = client({ endpoint, before: (message) => ({ ...message, [name]: id }) as Message });
        analytics.track({ userId: 'u1', event: 'e' });
        return lost[0]?.error.message;
      },
    ],
    [
      `${name} with \`onInvalid: report\``,
      async (id) => {
        const { analytics, lost } = client({ endpoint, onInvalid: 'report' });
        call(analytics, 'track', { [name]: id });
        return lost[0]?.error.message;
      },
    ],
    [
      `${name} of a captured client`,
      async (id) => {
        const { analytics } = captureAnalytics();
        return thrown(() => call(analytics, 'track', { [name]: id }));
      },
    ],
  ]),
  ...['userId', 'anonymousId', 'visitorId'].flatMap((name): [string, Door][] => [
    [`child({ ${name} })`, async (id) => thrown(() => newClient().child({ [name]: id }))],
    [`run({ ${name} })`, async (id) => thrown(() => newClient().run({ [name]: id }, () => {}))],
    [
      `enrich({ ${name} })`,
      async (id) => {
        const analytics = newClient();
        return analytics.run({}, () => thrown(() => analytics.enrich({ [name]: id })));
      },
    ],
  ]),
  [
    'userId of a middleware',
    async (id) => {
      let seen: string | undefined;
      const before = (message: Message) => {
        seen = message.userId;
        return null;
      };
      const analytics = newClient({ enabled: true, before });
      const handler = withRun(
        analytics,
        async () => {
          analytics.track({ anonymousId: 'a1', event: 'e' });
          return new Response();
        },
        { userId: () => id },
      );
      await handler(new Request('http://app.test/'));
      return seen === id ? undefined : 'not filled in';
    },
  ],
  ...['userId', 'anonymousId', 'previousId'].map((name): [string, Door] => [
    `forget({ ${name} })`,
    async (id) => rejected(newClient().forget({ [name]: id } as never)),
  ]),
  ['AdminClient: changeAudience, join', async (id) => refusalOf(admin.changeAudience('a', { join: [id] }))],
  ['AdminClient: changeAudience, leave', async (id) => refusalOf(admin.changeAudience('a', { leave: [id] }))],
  ['AdminClient: changeTrait', async (id) => refusalOf(admin.changeTrait('a', { set: [{ userId: id, value: 1 }] }))],
  ['AdminClient: changeTrait, remove', async (id) => refusalOf(admin.changeTrait('a', { remove: [id] }))],
  ['AdminClient: requestDeletion', async (id) => refusalOf(admin.requestDeletion([id]))],
  [
    'a line of an audience',
    async (id) => rejected(listedUsers('audience', Readable.from([Buffer.from(`${JSON.stringify(id)}\n`)])).next()),
  ],
]);

// The service must be able to list and delete every user that a collector accepts from other clients.
const isTaken = (door: string, id: string): boolean => /^AdminClient|audience/.test(door) && CONTROLS.includes(id);

test.each(Object.entries(doors))(
  '%s refuses texts of values that are not ids, templates, blanks and control characters',
  async (door, give) => {
    const taken: string[] = [];
    for (const id of REFUSED) if ((await give(id)) === undefined && !isTaken(door, id)) taken.push(id);
    expect(taken).toEqual([]);
  },
);

test.each(Object.entries(doors))('%s accepts ids that users may really have', async (_, give) => {
  const refused: [string, string][] = [];
  for (const id of ACCEPTED) {
    const problem = await give(id);
    if (problem !== undefined) refused.push([id, problem]);
  }
  expect(refused).toEqual([]);
});

test.each([
  ['--user', ['send', 'track', '--event', 'e']],
  ['--anonymous', ['send', 'page']],
  ['--group', ['send', 'group', '--user', 'u1']],
  ['--previous', ['send', 'alias', '--user', 'u1']],
  ['--message-id', ['send', 'track', '--event', 'e', '--user', 'u1']],
])('`%s` of `%s` refuses a text that is not an id', async (option, args) => {
  for (const id of ['undefined', '[object Promise]', ' ', 'u2\r']) {
    const connection = ['--endpoint', endpoint, '--write-key', 'key', '--retry-for', '0'];
    expect(await printed([...args, option, id, ...connection])).toMatch(`${option}: expected an id, got`);
  }
});

test.each(['--user', '--anonymous', '--previous', '--message-id'])(
  '`journal drop %s` refuses a text that is not an id, so that a deletion does not look done',
  async (option) => {
    const path = await newJournal();
    for (const id of ['undefined', '[object Promise]', 'u2\r']) {
      expect(await printed(['journal', 'drop', path, option, id, '--yes'])).toMatch(`${option}: expected a value, got`);
    }
  },
);

test('the error for a wrong id shows the text and explains it', () => {
  const { track } = new Client({ writeKey: 'key', endpoint, enabled: false });
  const about = (messageId: string) => thrown(() => track({ userId: 'u1', event: 'e', messageId }));
  expect(about('[object Promise]')).toBe(
    'ValidationError: track.messageId: expected an id, got the text "[object Promise]", made from a value that is not an id',
  );
  expect(about(' ')).toBe('ValidationError: track.messageId: expected an id, got blanks alone');
  expect(about('m\r')).toBe(
    'ValidationError: track.messageId: expected an id, got string "m\\r", which has a control character',
  );
  expect(about('() => "a secret that is long enough to be cut"')).toBe(
    'ValidationError: track.messageId: expected an id, got the text "() => \\"a secret that is long enough to …", made from a value that is not an id',
  );
});

test('`null` is refused as a message id, because a second such message would be dropped as a repetition', () => {
  const { analytics } = client({ endpoint });
  expect(() => analytics.track({ userId: 'u1', event: 'e', messageId: 'null' })).toThrow(
    'track.messageId: expected an id, got the text "null"',
  );
});

test('an id with the text `null` causes one process warning, because it may be a name', () => {
  const { analytics } = client({ endpoint });
  for (let index = 0; index < 2; index++) analytics.track({ userId: 'null', event: 'e' });
  expect(analytics.stats().accepted).toBe(2);
  expect(warnings).toEqual([
    'EVENTFERRY_NULL_ID eventferry: track.userId is the text "null", which may stand for a missing value; this is told once',
  ]);
});
