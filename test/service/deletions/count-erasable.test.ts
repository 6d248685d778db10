import { lmdbUnderTest, memoryUnderTest } from '../../store/storage-under-test.js';
import { describeLimitedDeletions } from './limited-conformance.js';

describeLimitedDeletions(memoryUnderTest);
describeLimitedDeletions(lmdbUnderTest);
