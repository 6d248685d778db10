import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import { watchDescriptors } from '../../../src/service/operations/descriptors.js';
import { FakeClock } from '../../support/fake-clock.js';
import { recordingLog } from '../recording-log.js';

/** Uses up the file descriptors of a process with a low limit, and prints what is logged. */
const [clock, log] = [new FakeClock(), recordingLog()];
watchDescriptors({ clock, log });
const look = async (): Promise<void> => {
  clock.advance(1_000);
  // The next check is scheduled when this one has ended.
  while (clock.due.length === 0) await new Promise((resolve) => setImmediate(resolve));
};
await look();
const held = [];
try {
  for (;;) held.push(await open(devNull));
} catch {
  // No descriptor is left.
}
await look();
await look();
await Promise.all(held.map((file) => file.close()));
await look();
process.stdout.write(JSON.stringify(log.lines));
