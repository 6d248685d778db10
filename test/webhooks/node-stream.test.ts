import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readStream } from '../../src/webhooks/node-stream.js';

const never = new AbortController().signal;
const read = (stream: PassThrough, signal = never) => readStream(stream, 100, signal, 'the cure');

test('a stream that closes without an end or an error counts as broken off', async () => {
  const stream = new PassThrough();
  const body = read(stream);
  stream.destroy();
  await expect(body).rejects.toMatchObject({ status: 400, message: 'The connection ended before the body did' });
});

test('a stream that closed before it was read counts as broken off', async () => {
  const stream = new PassThrough();
  stream.destroy();
  await once(stream, 'close');
  await expect(read(stream)).rejects.toMatchObject({ status: 400 });
});

test('a stream that fails counts as broken off', async () => {
  const stream = new PassThrough();
  const body = read(stream);
  stream.destroy(new Error('reset'));
  await expect(body).rejects.toMatchObject({ status: 400 });
});

test('when the signal aborts, reading a stream stops and rejects with the reason', async () => {
  const stop = new AbortController();
  const body = read(new PassThrough(), stop.signal);
  stop.abort(new Error('too slow'));
  await expect(body).rejects.toThrow('too slow');
});

test('no listener stays on a stream once the body has arrived', async () => {
  const stream = new PassThrough();
  const before = stream.eventNames();
  const body = read(stream);
  stream.end('{}');
  expect(new TextDecoder().decode(await body)).toBe('{}');
  expect(stream.eventNames()).toEqual(before);
});
