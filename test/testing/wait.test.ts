import { expect, test } from 'vitest';
import { captureAnalytics } from '../../src/testing/capture-analytics.js';

const track = (event: string) => ({ userId: 'u1', event });

test('`waitFor` resolves with an earlier message, by name, by fields and by a function', async () => {
  await using captured = captureAnalytics();
  const { messageId } = captured.analytics.track(track('Added'));
  captured.analytics.track(track('Removed'));
  for (const expected of ['Added', { event: 'Added' }, (message: { type: string }) => message.type === 'track']) {
    expect(await captured.waitFor(expected)).toMatchObject({ messageId });
  }
});

test('`waitFor` resolves with the next message that matches', async () => {
  await using captured = captureAnalytics();
  const waiting = captured.waitFor('Removed');
  captured.analytics.track(track('Added'));
  const { messageId } = captured.analytics.track(track('Removed'));
  captured.analytics.track(track('Removed'));
  expect(await waiting).toMatchObject({ messageId });
});

test('`waitFor` rejects after its timeout, and says what came instead', async () => {
  await using captured = captureAnalytics();
  captured.analytics.track(track('Added'));
  await expect(captured.waitFor('Removed', { timeout: 1 })).rejects.toThrow(
    'Nothing came within 1 ms. Expected a message that matches "Removed", got 0 of 1',
  );
});

test('the error of `waitFor` points at the line that called it', async () => {
  await using captured = captureAnalytics();
  const failure = await captured.waitFor('Removed', { timeout: 1 }).catch((error: Error) => error);
  const [said, ...frames] = String((failure as Error).stack).split('\n    at ');
  expect(said).toContain('Nothing came within 1 ms');
  expect(frames[0]).toContain('wait.test.ts');
});
