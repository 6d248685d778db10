import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSent } from '../../../src/collector/enrich.js';
import { validateBatch } from '../../../src/collector/validate-batch.js';
import { type CanonicalEvent, canonicalEvent } from '../../../src/destination/intake/canonical-event.js';
import { prepareCanonical } from '../../../src/destination/intake/prepared-event.js';
import {
  commonFields,
  type Field,
  type FieldKind,
  MESSAGE_TYPES,
  stampedFields,
} from '../../../src/protocol/field-table.js';
import { ownFields } from '../../../src/protocol/own-fields.js';
import { runs } from '../../support/runs.js';

const nothing = fc.constantFrom(undefined, null);
const text = fc.oneof(nothing, fc.string({ minLength: 1, maxLength: 8 }), fc.integer());
const time = fc.oneof(
  nothing,
  fc.constantFrom('2026-11-20', '2026-11-20T12:00', '2026-11-20T12:00:00.123456789+02:00', '2026-11-20 12:00:00 Z'),
  fc.constantFrom('0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2026-11-20T12:00:00.000Z', 1_795_176_000, 0.5),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2099-01-01') }).map((date) => date.toISOString()),
  fc.constantFrom('yesterday', {}, []),
);
const object = fc.oneof(
  nothing,
  fc.constant([]),
  fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 })),
);
const values: Readonly<Record<FieldKind, fc.Arbitrary<unknown>>> = { text, time, object };
const fields = [commonFields, stampedFields, ...Object.values(ownFields)].flatMap((each) =>
  Object.entries<Field>(each),
);
const item = fc.record({
  ...Object.fromEntries(fields.map(([name, { kind }]) => [name, values[kind]])),
  type: fc.constantFrom(...MESSAGE_TYPES),
  messageId: fc.oneof(nothing, fc.string({ maxLength: 8 })),
});

/** Returns the prepared event with its body as text, because comparing a text is faster than comparing bytes. */
function shown(event: CanonicalEvent) {
  const { body, ...rest } = prepareCanonical(event);
  return { ...rest, body: Buffer.from(body).toString() };
}

test('making an accepted message canonical again changes no byte of what is delivered', () => {
  let taken = 0;
  const level = fc.record({ context: fc.option(fc.constant({ ip: '::1' }), { nil: undefined }), sentAt: time });
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 3 }), level, (items, { context, sentAt }) => {
      // A request contains only what JSON can represent.
      const parsed: unknown[] = JSON.parse(JSON.stringify(items));
      const { messages } = validateBatch(parsed, {
        context,
        integrations: undefined,
        sent: readSent(sentAt),
        receivedMs: 1_795_176_000_000,
        receivedAt: '2026-11-20T12:00:00.000Z',
        newId: () => 'new',
      });
      for (const message of messages) {
        taken++;
        const again = shown(canonicalEvent(structuredClone(message)));
        expect(shown(message as CanonicalEvent)).toEqual(again);
      }
    }),
    { numRuns: runs(500, 2_000) },
  );
  expect(taken).toBeGreaterThan(runs(50, 200));
});
