import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { givenConfig } from '../../../src/cli/options/config.js';

test('a configuration is a file name, or the text of standard input', async () => {
  expect(await givenConfig('a.yaml')).toEqual({ file: 'a.yaml' });
  expect(await givenConfig('-', Readable.from([Buffer.from('listen: {}')]))).toEqual({
    file: 'standard input',
    text: 'listen: {}',
  });
});
