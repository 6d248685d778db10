import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { givenConfig } from '../../../src/cli/options/config.js';
import { withStdin } from '../stdin.js';

test('a configuration is a file name, or the text of standard input', async () => {
  expect(await givenConfig('a.yaml')).toEqual({ file: 'a.yaml' });
  const stdin = Readable.from([Buffer.from('listen: {}')]);
  expect(await withStdin(stdin, () => givenConfig('-'))).toEqual({
    file: 'standard input',
    text: 'listen: {}',
  });
});
