import { formatCount, plural } from '../../base/text/plural.js';
import { printable, shorten } from '../../base/text/printable.js';
import type { Answered, CollectedRequest } from '../../collector/index.js';
import { columns, type Terminal } from '../terminal/terminal.js';

/** Prints one request to the collector: a batch and its result, or that the write key was wrong, without showing the key. */
export function printRequest(
  { status, rejected, duplicates }: Answered,
  request: CollectedRequest,
  terminal: Terminal,
) {
  const { receivedAt, path, attempt, messages, bytes, userAgent } = request;
  const text = columns(
    terminal.style('dim', receivedAt.slice('2026-11-20T'.length)),
    status === 401 ? terminal.style('red', 'wrong write key') : plural(messages, 'message'),
    bytes > 0 && `${formatCount(bytes)} B`,
    rejected > 0 && terminal.style('red', `${formatCount(rejected)} rejected`),
    duplicates > 0 && plural(duplicates, 'duplicate'),
    attempt > 1 && `attempt ${attempt}`,
    `→ ${status}`,
    terminal.style('dim', printable(shorten(userAgent ?? 'no User-Agent', 60))),
  );
  const problem = status === 401 ? { problem: 'wrong write key' } : {};
  const counts = { messages, rejected, duplicates, bytes, attempt };
  terminal.print(text, { receivedAt, path, status, ...problem, ...counts, userAgent });
}
