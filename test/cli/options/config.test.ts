import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { givenConfig } from '../../../src/cli/options/config.js';

test('a configuration is given by its file, or as the text of standard input', async () => {
  expect(await givenConfig('a.yaml')).toEqual({ file: 'a.yaml' });
  expect(await givenConfig('-', Readable.from([Buffer.from('listen: {}')]))).toEqual({
    file: 'standard input',
    text: 'listen: {}',
  });
});
