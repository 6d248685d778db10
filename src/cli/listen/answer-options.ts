import { CliError, refuseUnused } from '../cli-error.js';

/** The response to a delivery. */
export type ListenAnswer =
  | { readonly kind: 'status'; readonly status: number; readonly isSlow: boolean }
  /** No response is sent, for as long as the sender waits. */
  | { readonly kind: 'hang' }
  /** The connection is reset. */
  | { readonly kind: 'reset' };

export interface AnswerOptions {
  /** A list such as `500,hang,reset,slow,200`, used one after another; the last one applies to all further deliveries. */
  readonly status: string;
  readonly repeat?: boolean | undefined;
  readonly slowBody?: boolean | undefined;
}

/**
 * Returns the answer for each delivery, counted from 0.
 *
 * @throws CliError if the list contains anything but statuses from 200 to 599, `hang`, `reset` and `slow`
 */
export function answersOf({ status, repeat, slowBody }: AnswerOptions): (index: number) => ListenAnswer {
  const answers = status.split(',').map((word) => answerOf(word.trim(), slowBody === true));
  if (answers.every(({ kind }) => kind !== 'status'))
    refuseUnused({ '--slow-body': slowBody }, `is for answers with a body; --status ${status} has none`);
  return (index) => at(answers, repeat ? index % answers.length : Math.min(index, answers.length - 1));
}

function answerOf(word: string, isSlow: boolean): ListenAnswer {
  if (word === 'hang' || word === 'reset') return { kind: word };
  if (word === 'slow') return { kind: 'status', status: 200, isSlow: true };
  if (/^[2-5]\d\d$/.test(word)) return { kind: 'status', status: Number(word), isSlow };
  throw new CliError(`--status holds "${word}"; expected a status from 200 to 599, hang, reset or slow`);
}

function at(answers: readonly ListenAnswer[], index: number): ListenAnswer {
  const answer = answers[index];
  if (answer === undefined) throw new RangeError(`There is no answer ${index}`);
  return answer;
}

export const describeAnswer = (answer: ListenAnswer): string => {
  if (answer.kind !== 'status') return answer.kind;
  return answer.isSlow ? `${answer.status} slowly` : String(answer.status);
};
