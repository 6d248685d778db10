export { OptionError } from '../base/errors/errors.js';
export type { Violation, ViolationIssue } from '../base/errors/violation-error.js';
export type { AnyObject, With as ObjectWith } from '../protocol/any-object.js';
export type { CommonFields } from '../protocol/common.js';
export type { AnyEvents, Catalogue } from './catalogue.js';
export { type CatalogueOptions, defineEvents, type EventDefinition } from './define-events.js';
export type { StandardSchema } from './standard-schema.js';
export type { EventName, EventProperties, TrackOf } from './typed-calls.js';
