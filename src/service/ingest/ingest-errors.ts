/** Another request has been storing one of these messages for seconds. A repetition may find it stored. */
export class StoringElsewhereError extends Error {
  override readonly name = 'StoringElsewhereError';

  constructor() {
    super('Another request is storing one of these messages');
  }
}

/** The service closed before the messages had their turn. */
export class ServiceClosingError extends Error {
  override readonly name = 'ServiceClosingError';

  constructor() {
    super('The service is closing and did not store these messages');
  }
}

/** The source was removed from the configuration while its messages came in. */
export class SourceGoneError extends Error {
  override readonly name = 'SourceGoneError';

  constructor(source: string) {
    super(`The configuration no longer has the source ${source}`);
  }
}
