/** Another request has been storing one of these messages for seconds. A repetition may find it stored. */
export class StoringElsewhereError extends Error {
  override readonly name = 'StoringElsewhereError';

  constructor() {
    super('One of these messages is being stored by another request');
  }
}

/** The service closed before the messages had their turn. */
export class ServiceClosingError extends Error {
  override readonly name = 'ServiceClosingError';

  constructor() {
    super('The service closes, and these messages were not stored yet');
  }
}

/** The source was removed from the configuration while its messages came in. */
export class SourceGoneError extends Error {
  override readonly name = 'SourceGoneError';

  constructor(source: string) {
    super(`There is no source ${source} any more`);
  }
}
