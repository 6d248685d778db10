/**
 * Names of properties that only the client's own code uses. The client for the web has them shorter: bundlers keep what is written.
 * None is a name that a user writes or reads, nor one of the runtime's; `test/package/fetch.test.ts` looks them up in the types.
 */
const NAMES = [
  'abandon abandonAllBut accept addBytes advice advise allGone answeredBy batcher',
  'besideListeners bodyAround breaker busy bytesOf bytesPerTurn calm copyObject',
  'copyOf count counter cut defaultTransport defaults deliver destroy disk door',
  'earlierBytes emit endUpTo ended errorOf errorOfHeld example failed failures',
  'fault fields finish fullError giveUp hasLosses hasReader header',
  'heldOf holds hurry isClosed isEmpty isFull isInDoubt isInternal isLoaded',
  'isOnPage isOver isReady isRequired isSecret isSecure isSocket isTruncated',
  'lastFailure lastMoment lastTaken leave lossOf maxMessages mistakeIn newBatch',
  'newestOutside newestWaiting noteAdded noteEnded noteTaken occupy onAbort',
  'onRefusal outlivePage pendingMessages post publish restIfDone',
  'refused refusedInARow rejections reporter requester results',
  'roomBelowBytes sendAfter sendAtOnce sendEarlier sender settle settled stamp',
  'start storedOf succeeded takeApart takeOpen unload vacate verdict violated waitingBytes',
  'what writeNow taken tellRest warnProcess messageAccepted',
  'requestStarted batchEnded send take refuse lose pass repeat stopped',
  'dueAt earlierSent hasRoomFor keepSpare takeSpare wasSentOnce',
  'noteImported noteControlTaken takeEnded startOver importer onRefused',
  'findChannel because unless compress location took own tell fill',
  'isEnabled unknownField hasPageEnded',
  'begin fail acceptance landings pacer refusalListeners sending landed judge delivery',
  'isUnderWay forgetLastTaken repetitions takeRow enqueuer noteRoom live',
  'admit isDropped keptOf mayPileUp hasEnded releaseIfSent forgetEarlier noteDropped',
  'errorOfGone endEarly hasRoom ending cancel losses note',
  'progress cancelTimer failure takeUntold withdrawn takenBytes',
].join(' ');

/** For `mangleProps` of esbuild. */
export const INTERNAL_NAMES = new RegExp(`^(?:${NAMES.replaceAll(' ', '|')})$`);
