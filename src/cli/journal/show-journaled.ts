import { CliError, EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal/terminal.js';
import { described, journaledIn } from './found.js';

/**
 * Prints one message in full.
 *
 * @throws CliError if there is no message with that id
 */
export async function showJournaled(path: string, id: string, _: object, terminal: Terminal): Promise<void> {
  if (id.trim() === '') throw new CliError(`id: expected the messageId of a message, got ${JSON.stringify(id)}`);
  for await (const found of journaledIn(path, { waiting: true, dead: true })) {
    if (found.message.messageId !== id) continue;
    const { text, record } = described(found);
    const isLeft = found.state === 'waiting' && found.owner === 'ended';
    const sender = isLeft ? ', the next client with this journal sends it' : '';
    terminal.print(`${text}${sender}\n${JSON.stringify(found.message, null, 2)}`, record);
    return;
  }
  throw new CliError(`no message ${id} in ${path}`, { exitCode: EXIT.failed, fields: { messageId: id } });
}
