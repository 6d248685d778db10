import { wordsOf } from '../result-words.js';
import { visible } from './visible.js';

/** Shows in words how an attempt ended, with its status or error code beside them. */
export const Result = ({ of, times = '' }: { of: string; times?: string }) => (
  <span title={visible(of)}>
    <span>{wordsOf(of)}</span> <code>{visible(of)}</code>
    {times}
  </span>
);
