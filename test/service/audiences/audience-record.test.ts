import { expect, test } from 'vitest';
import {
  type AudienceRecord,
  reportOf,
  resultOf,
  type Sync,
  traitReportOf,
  traitResultOf,
} from '../../../src/service/audiences/audience-record.js';

const sync: Sync = {
  id: 's1',
  kind: 'replace',
  phase: 'receiving',
  at: 1_000,
  received: 5,
  applied: 3,
  joined: 2,
  changed: 3,
  left: 1,
};

const record: AudienceRecord = { kind: 'audience', name: 'High Value', trait: 'high_value', members: 7, createdAt: 0 };

test('the report of an audience has its times as text and, during a change, its progress', () => {
  const report = { name: 'High Value', trait: 'high_value', members: 7, createdAt: '1970-01-01T00:00:00.000Z' };
  expect(reportOf(record)).toEqual({ ...report, syncedAt: null });
  expect(reportOf({ ...record, syncedAt: 1_000, sync })).toEqual({
    ...report,
    syncedAt: '1970-01-01T00:00:01.000Z',
    sync: { phase: 'receiving', received: 5, applied: 3 },
  });
});

test('the result of a change has the numbers of users who joined and left, and does not show the lease', () => {
  const named = { name: 'High Value', trait: 'high_value', members: 7 };
  expect(resultOf({ ...record, sync })).toEqual({ ...named, joined: 2, left: 1 });
});

test('the report and the result of a computed trait count users by what happened to their value', () => {
  const named = { name: 'High Value', trait: 'high_value', users: 7 };
  expect(traitReportOf(record)).toEqual({ ...named, createdAt: '1970-01-01T00:00:00.000Z', syncedAt: null });
  expect(traitResultOf({ ...record, sync })).toEqual({ ...named, added: 2, changed: 3, removed: 1 });
});
