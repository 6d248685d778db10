import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  checkFilter,
  checkJournal,
  deadFilter,
  type JournalFilter,
  messageFilter,
} from '../../../src/cli/journal/found.js';
import type { JournaledMessage } from '../../../src/client/journal/filter.js';
import type { Dead } from '../../../src/client/journal/inspect.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const message: JournaledMessage = {
  type: 'track',
  messageId: 'm1',
  timestamp: '2026-11-20T12:00:00.000Z',
  userId: 'u1',
  event: 'Paid',
};

const dead: Dead = { state: 'dead', at: message.timestamp, code: 'A', error: 'no', message, file: 'f', line: 0 };

test.each<[JournalFilter, boolean]>([
  [{}, true],
  [{ type: 'track' }, true],
  [{ type: 'page' }, false],
  [{ event: 'Paid' }, true],
  [{ event: 'paid' }, false],
  [{ user: 'u1' }, true],
  [{ user: 'u' }, false],
  [{ messageId: 'm1' }, true],
  [{ messageId: 'm2' }, false],
  [{ from: '2026-11-20T12:00:00Z' }, true],
  [{ from: '2026-11-20T12:00:00.001Z' }, false],
  [{ to: '2026-11-20T12:00:00.001Z' }, true],
  [{ to: '2026-11-20T12:00:00Z' }, false],
  [{ type: 'track', user: 'u2' }, false],
])('whether the journal filter %j selects a message: %s', (filter, isMeant) => {
  expect(messageFilter(filter)(message)).toBe(isMeant);
  expect(deadFilter(filter)(dead)).toBe(isMeant);
});

test.each<[JournalFilter, boolean]>([
  [{ code: 'A' }, true],
  [{ code: 'B' }, false],
  [{ code: 'A', user: 'u1' }, true],
  [{ code: 'A', user: 'u2' }, false],
])('whether the journal filter %j selects a dead letter with the code A: %s', (filter, isMeant) => {
  expect(deadFilter(filter)(dead)).toBe(isMeant);
});

test('a journal filter refuses an invalid time and names the option', () => {
  expect(() => messageFilter({ from: 'yesterday' })).toThrow('--from: expected a time in ISO 8601, got yesterday');
  expect(() => messageFilter({ to: 'x' })).toThrow('--to: expected');
});

test('a journal filter for every message needs --all', () => {
  expect(() => checkFilter({})).toThrow('no filter; give --type');
  expect(() => checkFilter({ user: undefined })).toThrow('no filter');
  expect(() => checkFilter({ all: true })).not.toThrow();
  expect(() => checkFilter({ user: 'u1' })).not.toThrow();
});

test('a folder with clients or dead letters is a journal', () => {
  const folder = temporaryFolder();
  expect(() => checkJournal(folder)).toThrow(`no journal at ${folder}`);
  mkdirSync(join(folder, 'dead-letters'));
  expect(() => checkJournal(folder)).not.toThrow();
});

test.each<[JournalFilter, string]>([
  [{ user: '' }, '--user: expected a value, got ""'],
  [{ user: 'u1', anonymous: ' ' }, '--anonymous: expected a value, got " "'],
  [{ all: true, messageId: '' }, '--message-id: expected a value, got ""'],
])('an empty filter option is refused, because a drop would report success and match nobody: %j', (filter, text) => {
  expect(() => checkFilter(filter)).toThrow(text);
});

test('an option that is no filter, such as --json, selects nothing: without a filter, a drop is refused', () => {
  expect(() => checkFilter({ json: true } as JournalFilter)).toThrow('no filter; give --type');
});
