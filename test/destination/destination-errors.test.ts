import { expect, test } from 'vitest';
import {
  AddressRefusedError,
  DestinationClosedError,
  ReplayTargetError,
} from '../../src/destination/destination-errors.js';

test.each([
  [0, 'No delivery is sent again.'],
  [1, '1 delivery is sent again.'],
  [2, '2 deliveries are sent again.'],
])(
  'the error after %i replayed letters says how many were started, which letters stay and what to do',
  (replayed, begun) => {
    const error = new ReplayTargetError({ replayed, urls: ['https://a.example/***'], webhooks: ['crm', 'mail'] });
    expect(error).toMatchObject({ code: 'EVENTFERRY_DESTINATION_REPLAY_TARGET', replayed });
    expect(error.message).toBe(
      `${begun} The dead letters of https://a.example/*** stay, because no such webhook is configured any more. ` +
        'Name the webhook that gets them in `sendTo`: crm, mail',
    );
  },
);

test.each([
  [new DestinationClosedError(), 'EVENTFERRY_DESTINATION_CLOSED', 'The destination is closed'],
  [new AddressRefusedError('db.internal'), 'EVENTFERRY_DESTINATION_ADDRESS_REFUSED', 'db.internal has no public'],
])('%s has the code %s', (error, code, message) => {
  expect(error).toMatchObject({ code, name: error.constructor.name, message: expect.stringContaining(message) });
});
