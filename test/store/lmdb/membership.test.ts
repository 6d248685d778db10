import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StoreWriteError } from '../../../src/store/errors.js';
import { LmdbMailbox } from '../../../src/store/lmdb/lmdb-mailbox.js';
import { newFolder } from '../../cli/files.js';
import { next, openDestination } from '../../destination/open.js';
import { track } from '../../destination/track.js';
import { type Member, openMember, pass } from '../../scheduler/leased/members.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';

async function openTwo(url: string): Promise<[Member, Member]> {
  const path = await newFolder();
  return [await openMember(path, url), await openMember(path, url)];
}

describe('a lease that could not be given back, since the disk was full,', () => {
  const failOnce = (): void => {
    const spy = vi.spyOn(LmdbMailbox.prototype, 'release').mockImplementationOnce(() => {
      throw new StoreWriteError(new Error('No space left'));
    });
    onTestFinished(() => spy.mockRestore());
  };

  test('keeps nobody from opening the destination anew', async () => {
    const endpoint = await startEndpoint(200);
    const member = await openMember(await newFolder(), endpoint.url);
    const store = await member.storage.deliveries('crm');
    const settings = { webhooks: [{ url: endpoint.url }], allowLoopback: true, store };
    const { destination } = await openDestination(settings, { clock: member.clock });
    failOnce();
    await member.destination.close();
    const delivered = next(destination, 'delivered');
    await destination.deliver(track('m1'));
    await pass([member], 1_000);
    expect((await delivered).id).toBe('m1');
  });

  test('is given back when there is room', async () => {
    const endpoint = await startEndpoint(200);
    const [first, second] = await openTwo(endpoint.url);
    failOnce();
    await first.destination.close();
    await pass([first, second], 2_000);
    const delivered = next(second.destination, 'delivered');
    await second.destination.deliver(track('m1'));
    await pass([first, second], 1_000);
    expect((await delivered).id).toBe('m1');
  });

  test('does not keep the storage from being closed', async () => {
    const member = await openMember(await newFolder(), 'http://127.0.0.1:9/');
    const spy = vi.spyOn(LmdbMailbox.prototype, 'bury').mockImplementationOnce(() => {
      throw new StoreWriteError(new Error('No space left'));
    });
    onTestFinished(() => spy.mockRestore());
    await member.destination.close();
    await member.storage.close();
    await expect(member.storage.check()).rejects.toThrow();
  });
});

describe('a process', () => {
  test('can open a destination anew before it closes it', async () => {
    const endpoint = await startEndpoint(200);
    const member = await openMember(await newFolder(), endpoint.url);
    const store = await member.storage.deliveries('crm');
    const settings = { webhooks: [{ url: endpoint.url }], allowLoopback: true, store };
    const { destination } = await openDestination(settings, { clock: member.clock });
    await member.destination.close();
    const delivered = next(destination, 'delivered');
    await destination.deliver(track('m1'));
    await pass([member], 100);
    expect((await delivered).id).toBe('m1');
  });

  test('can open a destination again that it has closed', async () => {
    const endpoint = await startEndpoint(200);
    const member = await openMember(await newFolder(), endpoint.url);
    await member.destination.close();
    const store = await member.storage.deliveries('crm');
    const settings = { webhooks: [{ url: endpoint.url }], allowLoopback: true, store };
    const { destination } = await openDestination(settings, { clock: member.clock });
    const delivered = next(destination, 'delivered');
    await destination.deliver(track('m1'));
    await pass([member], 100);
    expect((await delivered).id).toBe('m1');
  });
});
