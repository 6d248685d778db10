import { expect, test } from 'vitest';
import { type AdminClientOptions, checkChange, resolveOptions } from '../../src/admin/admin-options.js';
import { VALUES } from '../../src/service/api/change-rules.js';

const given = { url: 'http://127.0.0.1:4100', token: 'a-token' };

test.each([
  ['http://127.0.0.1:4100/', 'http://127.0.0.1:4100'],
  ['https://events.example.com/ferry/', 'https://events.example.com/ferry'],
  [new URL('http://127.0.0.1:4100'), 'http://127.0.0.1:4100'],
])('the trailing slash of the service URL %s is removed', (url, expected) => {
  expect(resolveOptions({ ...given, url })).toEqual({ url: expected, token: 'a-token' });
});

test.each<[string, string, object]>([
  ['a URL with a password', 'url', { url: 'http://user:hunter2@127.0.0.1' }],
  ['a URL with a query', 'url', { url: 'http://127.0.0.1?token=hunter2' }],
  ['a URL of another scheme', 'url', { url: 'ftp://hunter2' }],
  ['a token with a space', 'token', { token: 'hunter2 hunter2' }],
  ['a token that is not a string', 'token', { token: 7 }],
  ['no token', 'token', { token: undefined }],
  ['an unknown option', 'tokn', { tokn: 'hunter2' }],
])('the client refuses %s with the name of the option, but without its value', (_, option, wrong) => {
  const resolve = () => resolveOptions({ ...given, ...wrong } as AdminClientOptions);
  expect(resolve).toThrow(expect.objectContaining({ code: 'EVENTFERRY_ADMIN_INVALID_OPTION', option }));
  expect(resolve).not.toThrow(/hunter2/);
});

test('a change accepts only the lists of its kind', () => {
  expect(() => checkChange({ set: [], remove: ['u1'] }, VALUES)).not.toThrow();
  expect(() => checkChange({ join: ['u1'] } as object, VALUES)).toThrow('Expected `change.join` to be a known option');
});

test.each([
  [{ token: 'a-token' }, 'got undefined'],
  [{ url: '', token: 'a-token' }, 'got an empty string'],
])('the client says that the URL of the service is missing: %j', (options, received) => {
  expect(() => resolveOptions(options as AdminClientOptions)).toThrow(received);
});
