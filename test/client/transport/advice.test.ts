import { expect, test } from 'vitest';
import { AnswerError, ConnectionError, RefusesAllError } from '../../../src/base/errors/errors.js';
import { adviceOn, explainFailure } from '../../../src/client/transport/advice.js';

const plain = 'http://events.example:8080/v1/batch';

const explain = () => ({ what: 'it is asleep', advice: 'Wake it' });

test.each([
  ['ASLEEP', 'said', 'it is asleep (ASLEEP, said). Wake it'],
  ['ASLEEP', 'said ASLEEP', 'it is asleep (said ASLEEP). Wake it'],
  ['SLEEP_FAILED', 'said', 'it is asleep (said). Wake it'],
  [undefined, 'said', 'it is asleep (said). Wake it'],
])(
  'the code %s is added to the explanation of a failure, unless the message %j contains it or the code is ours',
  (causeCode, message, text) => {
    const told = explainFailure(new ConnectionError(message, { causeCode }), { url: plain }, explain);
    expect(told).toBe(`no answer from the collector at events.example:8080: ${text}`);
  },
);

test('the explanation of a response that asks the client to wait names the host', () => {
  expect(explainFailure(new AnswerError(503, 'no upstream', undefined), { url: plain }, explain)).toBe(
    'The collector answered 503: no upstream (at events.example:8080). Check `endpoint` and the collector',
  );
});

const nginx = '<title>400 The plain HTTP request was sent to HTTPS port</title>';

test.each([nginx, 'Client sent an HTTP request to an HTTPS server.'])(
  'a page that says that the port is for HTTPS is recognised: %s',
  (page) => {
    const told = explainFailure(new RefusesAllError(400, page), { url: plain }, explain);
    expect(told).toContain('refuses every message with status 400');
    expect(told).toContain('This is an HTTPS port: write https:// in `endpoint`');
    expect(adviceOn({ status: 400, answer: page })).toContain('write https://');
  },
);

test.each([200, 400, 402, 409, 413, 422, 501])('there is no advice on a %i, which speaks for itself', (status) => {
  expect(adviceOn({ status, answer: 'because' })).toBeUndefined();
});
