import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { TypedMessage } from '../../protocol/message.js';
import { CliError } from '../cli-error.js';
import { isCheckout, messagesOf } from './commits.js';

/** The sample, relative to the built command and to the source. */
const PLACES = ['../../examples/sample.ndjson', '../../../examples/sample.ndjson'];

export interface DemoSource {
  readonly name: string;
  /** Why it is not the repository. */
  readonly remark: string | undefined;
  readonly messages: AsyncIterable<TypedMessage>;
}

/** The history of a repository; where there is none, the sample that comes with the package. */
export async function openSource(folder: string): Promise<DemoSource> {
  if (await isCheckout(folder)) {
    return { name: `the git history of ${folder}`, remark: undefined, messages: messagesOf(folder) };
  }
  const remark = `${folder} is not a git checkout with a commit: using the sample instead`;
  return { name: 'examples/sample.ndjson', remark, messages: sample() };
}

async function* sample(): AsyncGenerator<TypedMessage> {
  const lines = createInterface({ input: createReadStream(sampleFile()) });
  for await (const line of lines) yield JSON.parse(line);
}

function sampleFile(): URL {
  const file = PLACES.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url));
  if (file === undefined)
    throw new CliError('examples/sample.ndjson is missing from the package; install eventferry again');
  return file;
}
