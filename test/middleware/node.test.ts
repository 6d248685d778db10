import { expect, test } from 'vitest';
import { viewOfNode } from '../../src/middleware/node.js';

const socket = { remoteAddress: '10.0.0.9' };

test('the view of a request that a router has rewritten has its original path', () => {
  expect(viewOfNode({ url: '/buy', originalUrl: '/app/buy', headers: {}, socket }).url).toBe('/app/buy');
  expect(viewOfNode({ url: '/buy', headers: {}, socket }).url).toBe('/buy');
  expect(viewOfNode({ headers: {}, socket }).url).toBe('/');
});

test('the first of several headers with the same name is used', () => {
  const view = viewOfNode({ headers: { a: ['1', '2'], b: '3' }, socket });
  expect([view.header('a'), view.header('b'), view.header('c')]).toEqual(['1', '3', undefined]);
});

test.each([
  [{ ...socket, encrypted: true }, true],
  [socket, false],
])('the view of a request on the connection %j says whether it is encrypted: %s', (connection, isEncrypted) => {
  expect(viewOfNode({ headers: {}, socket: connection })).toMatchObject({ isEncrypted, remoteAddress: '10.0.0.9' });
});
