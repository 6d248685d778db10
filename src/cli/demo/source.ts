import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { TypedMessage } from '../../protocol/message.js';
import { CliError } from '../cli-error.js';
import { isCheckout, messagesOf } from './commits.js';

/** Where the sample is, from the built command and from the source. */
const PLACES = ['../../examples/sample.ndjson', '../../../examples/sample.ndjson'];

export interface DemoSource {
  readonly name: string;
  /** Why it is not what was asked for. */
  readonly remark: string | undefined;
  readonly messages: AsyncIterable<TypedMessage>;
}

/** The history of a repository; where there is none, the sample that comes with the package. */
export async function openSource(folder: string): Promise<DemoSource> {
  if (await isCheckout(folder)) {
    return { name: `the git history of ${folder}`, remark: undefined, messages: messagesOf(folder) };
  }
  const remark = `${folder} is no git checkout with a commit: taking the sample instead`;
  return { name: 'examples/sample.ndjson', remark, messages: sample() };
}

async function* sample(): AsyncGenerator<TypedMessage> {
  const lines = createInterface({ input: createReadStream(sampleFile()) });
  for await (const line of lines) yield JSON.parse(line);
}

function sampleFile(): URL {
  const file = PLACES.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url));
  if (file === undefined) throw new CliError('the sample is not where it belongs: examples/sample.ndjson');
  return file;
}
