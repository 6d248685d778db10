/** Another request has been storing one of these messages for several seconds. A retry may find it stored. */
export class StoringElsewhereError extends Error {
  override readonly name = 'StoringElsewhereError';

  constructor() {
    super('Another request is storing one of these messages');
  }
}

/** The service closed before the messages were stored. */
export class ServiceClosingError extends Error {
  override readonly name = 'ServiceClosingError';

  constructor() {
    super('The service is closing and did not store these messages');
  }
}

/** The source was removed from the configuration while its messages were being received. */
export class SourceGoneError extends Error {
  override readonly name = 'SourceGoneError';

  constructor(source: string) {
    super(`The configuration no longer has the source ${source}`);
  }
}
