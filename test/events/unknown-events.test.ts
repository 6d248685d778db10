import { expect, test } from 'vitest';
import { UnknownEvents } from '../../src/events/unknown-events.js';

test('the violation of an unknown event suggests the name that was probably meant', () => {
  const unknown = new UnknownEvents(['Order Completed', 'Signed Up']);
  expect(unknown.violationOf('Order Complete').message).toBe(
    'track.event: expected an event of the catalogue, got string "Order Complete". Did you mean "Order Completed"?',
  );
  expect(unknown.violationOf('Refunded').message).toBe(
    'track.event: expected an event of the catalogue, got string "Refunded"',
  );
});

test('a hundred unknown names are compared only once each, and further ones every time', () => {
  const unknown = new UnknownEvents(['Order Completed']);
  const first = unknown.violationOf('Order 0');
  for (let index = 1; index < 150; index++) unknown.violationOf(`Order ${index}`);
  expect(unknown.violationOf('Order 0')).toBe(first);
  expect(unknown.violationOf('Order 149')).not.toBe(unknown.violationOf('Order 149'));
});

test('an unknown name of thousands of characters is not compared', () => {
  expect(new UnknownEvents(['x'.repeat(200)]).violationOf('x'.repeat(201)).message).toBe(
    'track.event: expected an event of the catalogue, got a string of 201 characters',
  );
});
