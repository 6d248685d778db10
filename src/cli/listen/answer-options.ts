import { CliError, refuseUnused } from '../cli-error.js';

/** The response to a delivery: a status, none for as long as the sender waits (`hang`), or a reset of the connection. */
export type ListenAnswer = 'hang' | 'reset' | { readonly status: number; readonly isSlow: boolean };

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
  if (answers.every((answer) => typeof answer === 'string'))
    refuseUnused({ '--slow-body': slowBody }, `is for answers with a body; --status ${status} has none`);
  // A split text has at least one part.
  const last = answers.at(-1) as ListenAnswer;
  return (index) => answers[repeat ? index % answers.length : index] ?? last;
}

function answerOf(word: string, isSlow: boolean): ListenAnswer {
  if (word === 'hang' || word === 'reset') return word;
  if (word === 'slow') return { status: 200, isSlow: true };
  if (/^[2-5]\d\d$/.test(word)) return { status: Number(word), isSlow };
  throw new CliError(`--status holds "${word}"; expected a status from 200 to 599, hang, reset or slow`);
}

export const describeAnswer = (answer: ListenAnswer): string => {
  if (typeof answer === 'string') return answer;
  return answer.isSlow ? `${answer.status} slowly` : String(answer.status);
};
