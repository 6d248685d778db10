import { expect, test } from 'vitest';
import { type JobRecord, jobKey, jobReport } from '../../../src/service/letters/job-record.js';

const RECORD: JobRecord = {
  id: 'job1',
  act: 'replay',
  destination: undefined,
  filter: {},
  rate: undefined,
  startedAt: Date.parse('2026-11-20T12:00:00.000Z'),
  endedAt: undefined,
  status: 'running',
  meant: undefined,
  deliveries: 3,
  skipped: { 'webhook-removed': 0, 'sent-already': 0 },
  at: 'crm',
  cursor: 'cursor',
  error: undefined,
};

test('a job is reported without its position, and with null for missing values', () => {
  const { at: _, cursor: __, ...told } = RECORD;
  expect(jobReport(RECORD)).toEqual({
    ...told,
    destination: null,
    rate: null,
    meant: null,
    error: null,
    startedAt: '2026-11-20T12:00:00.000Z',
    endedAt: null,
  });
});

test('an ended job reports when it ended, and the errors of very many destinations are shortened', () => {
  const { endedAt, error } = jobReport({ ...RECORD, endedAt: RECORD.startedAt + 1_000, error: 'no; '.repeat(1_000) });
  expect(endedAt).toBe('2026-11-20T12:00:01.000Z');
  expect(error?.length).toBeLessThanOrEqual(2_010);
  expect(error?.length).toBeGreaterThan(1_900);
});

test('an id from a caller cannot lead to another key of the store', () => {
  expect(jobKey('../recent/x')).toBe('letters/..%2Frecent%2Fx');
});
