import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Sink {
  readonly origin: string;
  /** How many requests it answered. */
  taken(): Promise<number>;
  stop(): void;
}

/** Starts the sink in a process of its own, so that its work is not counted as ours. */
export async function startSink(): Promise<Sink> {
  const child = fork(fileURLToPath(new URL('./sink.mjs', import.meta.url)), { execArgv: [] });
  const answer = <T>(): Promise<T> =>
    new Promise((resolve) => child.once('message', (message) => resolve(message as T)));
  const { port } = await answer<{ port: number }>();
  return {
    origin: `http://127.0.0.1:${port}`,
    async taken() {
      const asked = answer<{ taken: number }>();
      child.send('taken');
      return (await asked).taken;
    },
    stop: () => void child.kill(),
  };
}
