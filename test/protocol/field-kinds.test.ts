import { expect, test, vi } from 'vitest';
import type { Field, FieldKind } from '../../src/protocol/field-table.js';

/** What each kind takes. This table does not compile until a new kind of field has examples. */
const KINDS: Readonly<
  Record<
    FieldKind,
    {
      readonly canonical: unknown;
      /** Other values that a collector accepts, and what it makes of them. */
      readonly converted: readonly (readonly [given: unknown, canonical: unknown])[];
      readonly wrong: readonly unknown[];
    }
  >
> = {
  text: { canonical: 'x', converted: [[42, '42']], wrong: [true, {}, [], Number.POSITIVE_INFINITY] },
  time: {
    canonical: '2026-11-20T12:00:00.000Z',
    converted: [
      ['2026-11-20T12:00', '2026-11-20T12:00:00.000Z'],
      [0, '1970-01-01T00:00:00.000Z'],
    ],
    wrong: [true, {}, [], 'now'],
  },
  object: { canonical: { a: 1 }, converted: [[[], {}]], wrong: [true, 42, 'x', [1]] },
};

const kinds = Object.keys(KINDS) as FieldKind[];

/** An imaginary type of message: it has a field of each kind that it requires, and one that it does not. */
const sample: Readonly<Record<string, Field>> = Object.fromEntries(
  kinds.flatMap((kind) => [
    [`${kind}Needed`, { kind, isRequired: true }],
    [`${kind}Given`, { kind, isRequired: false }],
  ]),
);
const complete: Readonly<Record<string, unknown>> = {
  version: 1,
  type: 'sample',
  messageId: 'm1',
  timestamp: '2026-11-20T12:00:00.000Z',
  ...Object.fromEntries(kinds.map((kind) => [`${kind}Needed`, KINDS[kind].canonical])),
};

vi.doMock('../../src/protocol/own-fields.js', async (original) => {
  const { ownFields } = await original<typeof import('../../src/protocol/own-fields.js')>();
  return { ownFields: { ...ownFields, sample } };
});
const { canonicalize } = await import('../../src/protocol/canonical.js');
const { readEvent } = await import('../../src/webhooks/read-event.js');

/** Returns what a receiver says about a delivered message. */
function receivedErrorOf(message: object): string {
  try {
    readEvent(new TextEncoder().encode(JSON.stringify(message)));
    return 'accepted';
  } catch (error) {
    return String(error);
  }
}

const fields = Object.entries(sample).map(([name, field]) => ({ name, ...field }));

test.each(fields)('a canonical $kind is accepted and stays as it is: $name', ({ name, kind }) => {
  const message = { ...complete, [name]: KINDS[kind].canonical };
  expect(canonicalize(message)).toBeUndefined();
  expect(message).toEqual({ ...complete, [name]: KINDS[kind].canonical });
  expect(receivedErrorOf(message)).toBe('accepted');
});

test.each(fields.flatMap((field) => KINDS[field.kind].converted.map((pair) => ({ ...field, pair }))))(
  'another value for a $kind becomes canonical: $name $pair',
  ({ name, pair: [given, canonical] }) => {
    const message = { ...complete, [name]: given };
    expect(canonicalize(message)).toBeUndefined();
    expect(message).toEqual({ ...complete, [name]: canonical });
    expect(receivedErrorOf(message)).toBe('accepted');
  },
);

test.each(fields.flatMap((field) => KINDS[field.kind].wrong.map((value) => ({ ...field, value }))))(
  'a wrong value for a $kind is refused by a collector: $name $value',
  ({ name, isRequired, value }) => {
    const message = { ...complete, [name]: value };
    expect(canonicalize(message)).toMatchObject({ field: name, isMissing: isRequired });
  },
);

test.each(fields)('a receiver refuses a value that is not a $kind: $name', ({ name, kind }) => {
  const message = { ...complete, [name]: kind === 'object' ? 'x' : {} };
  expect(receivedErrorOf(message)).toContain(`sample.${name}: expected`);
});

test.each(fields)('a $kind may be absent only if it is not required: $name', ({ name, isRequired }) => {
  for (const value of [undefined, null]) {
    const message = { ...complete, [name]: value };
    expect(canonicalize(message)?.field).toBe(isRequired ? name : undefined);
    expect(receivedErrorOf(message) === 'accepted').toBe(!isRequired);
  }
});
