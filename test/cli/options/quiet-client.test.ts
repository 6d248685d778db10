import { expect, onTestFinished, test, vi } from 'vitest';
import { quietClient } from '../../../src/cli/options/quiet-client.js';

test('a client of the command emits no process warnings', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const analytics = quietClient({ writeKey: 'k', endpoint: 'http://127.0.0.1:1', retryFor: 0 });
  analytics.track({ userId: 'u1', event: 'Lost' });
  expect(await analytics.close()).toMatchObject({ lost: 1 });
  expect(warn).not.toHaveBeenCalled();
});
