// Loaded into the service before its own code: says what the process has cost when asked, and ends with its parent.
import { readFileSync } from 'node:fs';

const LOOK_MS = 50;
let peakMb = 0;
let before = process.cpuUsage();

/** What the process holds itself: what it has mapped of lmdb's file belongs to the system, which may take it back. */
function look() {
  try {
    const [, kb] = /RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'));
    peakMb = Math.max(peakMb, kb / 1024);
  } catch {
    peakMb = process.resourceUsage().maxRSS / 1024;
  }
}

const commands = {
  reset() {
    peakMb = 0;
    look();
    before = process.cpuUsage();
  },
  cost() {
    const { user, system } = process.cpuUsage(before);
    look();
    return { cpuMicroseconds: user + system, peakMb };
  },
};

setInterval(look, LOOK_MS).unref();
process.on('message', ({ id, command }) => process.send({ id, result: commands[command]() }));
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// The service ends by itself when it is asked to.
process.channel.unref();
