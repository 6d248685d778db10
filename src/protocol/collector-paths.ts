import type { MessageTypeName } from './calls.js';

/**
 * What a collector's path takes, by its name below `/v1/`: a batch, or messages of one type. Each type also has a path of its own
 * name. Browser clients use the short names; a new type needs none.
 */
export const OTHER_PATHS: Readonly<Record<string, 'batch' | MessageTypeName>> = {
  batch: 'batch',
  import: 'batch',
  b: 'batch',
  i: 'identify',
  t: 'track',
  p: 'page',
  s: 'screen',
  g: 'group',
  a: 'alias',
};
