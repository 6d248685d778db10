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

const NOW = RECORD.startedAt + 2_000;

test('a job is reported without its position, and with null for missing values', () => {
  const { at: _, cursor: __, ...told } = RECORD;
  expect(jobReport(RECORD, NOW)).toEqual({
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
  const ended = { ...RECORD, endedAt: RECORD.startedAt + 1_000, error: 'no; '.repeat(1_000) };
  const { endedAt, error } = jobReport(ended, NOW);
  expect(endedAt).toBe('2026-11-20T12:00:01.000Z');
  expect(error?.length).toBeLessThanOrEqual(2_010);
  expect(error?.length).toBeGreaterThan(1_900);
});

test('a stopped job runs until its holder has written the counts, or its lease has ended', () => {
  const stopped: JobRecord = { ...RECORD, status: 'stopped', endedAt: NOW };
  const held: JobRecord = { ...stopped, holder: { process: 'p1', until: NOW + 1 } };
  expect(jobReport(held, NOW)).toMatchObject({ status: 'running', endedAt: null });
  for (const report of [jobReport(held, NOW + 1), jobReport(stopped, NOW)])
    expect(report).toMatchObject({ status: 'stopped', endedAt: '2026-11-20T12:00:02.000Z' });
});

test('an id from a caller cannot lead to another key of the store', () => {
  expect(jobKey('../recent/x')).toBe('letters/..%2Frecent%2Fx');
});
