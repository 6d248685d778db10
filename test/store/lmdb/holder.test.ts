import { expect, test } from 'vitest';
import { Lifeline } from '../../../src/base/process/lifeline.js';
import {
  type Holder,
  isAlive,
  isElsewhere,
  isOfAnotherMachine,
  isOverNetwork,
  socketOf,
  thisHolder,
} from '../../../src/store/lmdb/holder.js';
import { newFolder } from '../../cli/files.js';

const here = thisHolder('');

test.each<[string, Partial<Holder>, boolean]>([
  ['of this machine', {}, false],
  ['of another container of this machine', { host: 'another' }, false],
  ['of this machine before its restart', { boot: 'another' }, false],
  ['of another machine', { boot: 'another', host: 'another' }, true],
  ['of a system without boot ids', { boot: '', host: 'another' }, false],
])('a process %s is judged to be of this or another machine', (_, holder, expected) => {
  expect(isOfAnotherMachine({ ...here, ...holder }, here)).toBe(expected);
});

test.each([
  ['ext4', 0xef53, false],
  ['overlayfs', 0x794c7630, false],
  ['tmpfs', 0x01021994, false],
  ['NFS', 0x6969, true],
  ['SMB 2', 0xfe534d42, true],
])('%s is recognised as a local or a network file system', (_, type, expected) => {
  expect(isOverNetwork(type)).toBe(expected);
});

test('a process of another machine does not lock a local folder that was moved here from it', async () => {
  const path = await newFolder();
  expect(isElsewhere(path, { ...here, boot: 'another', host: 'another' })).toBe(false);
});

test('a process of this machine that has ended is not alive, even if its socket seems to be', async () => {
  const path = await newFolder();
  const lifeline = Lifeline.open(path, socketOf('x'));
  const [living, ended] = [thisHolder('x'), { ...thisHolder('x'), pid: 2 ** 22 + 1 }];
  expect(await Promise.all([living, ended].map((holder) => isAlive(path, holder)))).toEqual([true, false]);
  await lifeline?.close();
});
