import { expect, test } from 'vitest';
import { unknownEvents } from '../../src/events/unknown-events.js';

test('the violation of an unknown event suggests the name that was probably meant', () => {
  const unknown = unknownEvents(['Order Completed', 'Signed Up']);
  expect(unknown('Order Complete').message).toBe(
    'track.event: expected an event of the catalogue, got string "Order Complete". Did you mean "Order Completed"?',
  );
  expect(unknown('Refunded').message).toBe('track.event: expected an event of the catalogue, got string "Refunded"');
});

test('a hundred unknown names are compared only once each, and further ones every time', () => {
  const unknown = unknownEvents(['Order Completed']);
  const first = unknown('Order 0');
  for (let index = 1; index < 150; index++) unknown(`Order ${index}`);
  expect(unknown('Order 0')).toBe(first);
  expect(unknown('Order 149')).not.toBe(unknown('Order 149'));
});

test('an unknown name of thousands of characters is not compared', () => {
  expect(unknownEvents(['x'.repeat(200)])('x'.repeat(201)).message).toBe(
    'track.event: expected an event of the catalogue, got a string of 201 characters',
  );
});
