import { expect, test, vi } from 'vitest';

test('the example receives the delivery it posts to itself, refuses the forged one, and ends', async () => {
  const print = vi.spyOn(console, 'log').mockImplementation(() => {});
  await import('../../examples/webhook-receiver.js');
  expect(print.mock.calls.flat()).toEqual([
    'received: user-1 did "Order Completed" at 2026-11-20T12:00:00.000Z',
    'the sender was told: 200 ok',
    'refused with 401: The x-signature header is of other bytes or another secret',
    'the sender was told: 401 The signature is missing or wrong',
  ]);
  print.mockRestore();
});
