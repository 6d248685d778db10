import { printable } from '../../base/text/printable.js';
import { deadIn, waitingIn } from '../../client/journal/inspect-journal.js';
import { CliError, EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal/terminal.js';
import { checkJournal } from './found.js';

/**
 * Prints one message in full.
 *
 * @throws CliError if there is no message with that id
 */
export async function showJournaled(path: string, id: string, terminal: Terminal): Promise<number> {
  checkJournal(path);
  if (id.trim() === '') throw new CliError(`id: expected the messageId of a message, got ${JSON.stringify(id)}`);
  for await (const { owner, message } of waitingIn(path)) {
    if (message.messageId !== id) continue;
    const isOwned = owner !== 'ended';
    const sender = isOwned ? 'a living process owns it' : 'the next client with this journal sends it';
    terminal.print(`waiting; ${sender}\n${printed(message)}`, { state: 'waiting', isOwned, message });
    return EXIT.ok;
  }
  for (const { at, code, error, message } of deadIn(path)) {
    if (message.messageId !== id) continue;
    const why = `dead since ${at}: ${printable(error)} (${code})`;
    terminal.print(`${why}\n${printed(message)}`, { state: 'dead', at, code, error, message });
    return EXIT.ok;
  }
  throw new CliError(`no message ${id} in ${path}`, { exitCode: EXIT.failed, fields: { messageId: id } });
}

const printed = (message: object): string => JSON.stringify(message, null, 2);
