import { describe, expect, onTestFinished, test } from 'vitest';
import { Analytics } from '../../src/client/analytics.js';
import { Analytics as WebAnalytics } from '../../src/fetch/index.js';

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;
const thrower = (name: string): object =>
  Object.defineProperty({}, name, {
    enumerable: true,
    get() {
      throw new Error('away');
    },
  });

/** Values that JSON cannot hold, each with the end of its path and the error's explanation. */
const unwritable: [what: string, value: unknown, path: string, complaint: string][] = [
  ['a BigInt', 10n, '', 'a value that JSON can hold, got a BigInt'],
  ['a cycle', cycle, '.self', 'no cycle, got an object that contains itself'],
  [
    'a toJSON that throws',
    {
      toJSON() {
        throw new Error('away');
      },
    },
    '',
    'a value that can be read, got one that throws away',
  ],
  ['a getter that throws', thrower('x'), '.x', 'a value that can be read, got one that throws away'],
];

const OPTIONS = { writeKey: 'key', endpoint: 'http://127.0.0.1:1', enabled: false };

describe.each([
  ['Node', Analytics],
  ['the web', WebAnalytics],
])('a client of %s', (_, Client) => {
  const client = (more: object = {}): Analytics => {
    const made = new Client({ ...OPTIONS, ...more }) as Analytics;
    onTestFinished(() => void made.close());
    return made;
  };

  /** The places in which default fields are given. */
  const places: Record<string, (defaults: object) => unknown> = {
    'its options': client,
    'the options of a client that reports what is invalid': (defaults) => client({ ...defaults, onInvalid: 'report' }),
    'a child': (defaults) => client().child(defaults),
    'a child of a child': (defaults) => client().child({ userId: 'u1' }).child(defaults),
    run: (defaults) => client().run(defaults, () => {}),
    enrich(defaults) {
      const made = client();
      return made.run({}, () => made.enrich(defaults));
    },
  };

  describe.each(Object.entries(places))('given to %s', (_name, give) => {
    test.each(unwritable)('the value %s is refused there, with its path', (_what, value, path, complaint) => {
      for (const name of ['context', 'integrations']) {
        const made = (): unknown => give({ [name]: { a: { b: [value] } } });
        const place = `${name}.a.b[0]${path}`;
        expect(made).toThrow(
          expect.objectContaining({
            code: 'EVENTFERRY_INVALID_OPTION',
            option: place,
            message: expect.stringContaining(`Expected \`${place}\` to be ${complaint}`),
          }),
        );
      }
    });

    test('values are accepted if JSON leaves them out or rewrites them, as in a message, or if they are too large for one', () => {
      const context = {
        huge: 'x'.repeat(300_000),
        a: { f: () => 1, s: Symbol('s'), u: undefined, at: new Date(0), n: Number.NaN },
      };
      expect(() => give({ context, integrations: { crm: { f() {} } } })).not.toThrow();
    });
  });
});
