import { readdirSync, readFileSync } from 'node:fs';
import { expect, expectTypeOf, test, vi } from 'vitest';
import type { ReceivedMessage } from '../../src/collector/index.js';
import type { Destination, DestinationOptions, Receipt, Store } from '../../src/destination/index.js';
import { lmdbStore } from '../../src/destination/index.js';

const folder = new URL('../../src/destination/', import.meta.url);

test('importing the destination loads no package before it is needed', () => {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const imports =
      readFileSync(new URL(file, folder), 'utf8').match(/^import .* from '(undici|lmdb|ioredis)';$/gm) ?? [];
    expect(imports.filter((line) => !line.startsWith('import type '))).toEqual([]);
  }
});

test('without the package lmdb, the lmdb store explains how to install it', async () => {
  vi.doMock('lmdb', () => {
    throw new Error("Cannot find package 'lmdb'");
  });
  const error = await lmdbStore({ path: '/tmp/none' }).catch((thrown: unknown) => thrown);
  vi.doUnmock('lmdb');
  expect(error).toMatchObject({
    name: 'LmdbMissingError',
    code: 'EVENTFERRY_STORE_LMDB_MISSING',
    message: 'The lmdb store needs the package lmdb: npm install lmdb@3',
  });
});

test('the public types are as documented', () => {
  // The message that `onMessages` of a collector receives.
  expectTypeOf<ReceivedMessage>().toExtend<Parameters<Destination['deliver']>[0]>();
  const incomplete = { type: 'track', messageId: 'm', timestamp: 0, userId: 'u' } as const;
  expectTypeOf(incomplete).not.toExtend<Parameters<Destination['deliver']>[0]>();
  expectTypeOf<Destination['deliver']>().returns.resolves.toEqualTypeOf<Receipt>();
  expectTypeOf<Receipt['status']>().toEqualTypeOf<'accepted' | 'duplicate' | 'skipped'>();
  expectTypeOf<{ webhooks: [{ url: string }] }>().toExtend<DestinationOptions>();
  expectTypeOf<DestinationOptions['store']>().toEqualTypeOf<Store | undefined>();
  expectTypeOf<keyof Store & string>().toEqualTypeOf<never>();
  expectTypeOf<object>().not.toExtend<Store>();
  expectTypeOf<{ webhooks: []; shared: string }>().not.toEqualTypeOf<DestinationOptions>();
});
