import { lmdbUnderTest, memoryUnderTest } from '../../store/storage-under-test.js';
import { describeErasing } from './erase-conformance.js';

describeErasing(memoryUnderTest);
describeErasing(lmdbUnderTest);
