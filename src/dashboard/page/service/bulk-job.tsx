import { formatCount, plural } from '../../../base/text/plural.js';
import type { LetterJob } from '../../../service/api/answers.js';
import { Button, Progress } from '../ui/detail.js';

const DONE = { replay: 'replayed', discard: 'discarded' } as const;

/** A replay or discard of many deliveries, as far as it is. */
export type BulkJob = Pick<LetterJob, 'act' | 'deliveries' | 'meant'>;

/** How far a replay or discard is, and the way to stop it. */
export const JobProgress = ({ job, onStop }: { job: BulkJob | undefined; onStop(): void }) =>
  job === undefined ? null : (
    <div class="job">
      <Progress label="Progress" done={job.deliveries} of={job.meant ?? undefined}>
        <span role="status">{progressOf(job)}</span>
      </Progress>
      <Button onClick={onStop}>Stop</Button>
    </div>
  );

/** `20,000 of 90,000 replayed` */
const progressOf = ({ act, deliveries, meant }: BulkJob): string =>
  `${formatCount(deliveries)}${meant == null ? '' : ` of ${formatCount(meant)}`} ${DONE[act]}`;

/** `20,000 deliveries replayed, then stopped` */
export const endOf = (act: BulkJob['act'], deliveries: number, isStopped: boolean): string =>
  `${plural(deliveries, 'delivery')} ${DONE[act]}${isStopped ? ', then stopped' : ''}`;
