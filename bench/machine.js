import { arch, cpus, platform, totalmem } from 'node:os';

/** Where the numbers come from. */
export function describeMachine() {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const [cpu] = cpus();
  return `Node ${process.versions.node}, ${platform()} ${arch()}, ${cpus().length} × ${cpu?.model ?? 'unknown'}, ${memory}`;
}
