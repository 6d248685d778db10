import { expect, test } from 'vitest';
import { ServiceClosedError } from '../../src/service/service-closed-error.js';
import { configOf, serving } from './support.js';

test('a closed service refuses to listen or to reload a configuration', async () => {
  const { service } = await serving(configOf());
  await service.close();
  await expect(service.listen()).rejects.toThrow(ServiceClosedError);
  await expect(service.reload(configOf())).rejects.toMatchObject({ code: 'EVENTFERRY_SERVICE_CLOSED' });
  expect((await service.fetch(new Request('http://localhost/readyz'))).status).toBe(503);
  expect(service.config).toEqual(configOf());
  await service.close();
});
