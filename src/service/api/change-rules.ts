import type { Rule, Rules } from '../../base/options/check-options.js';
import type { MembershipChange, TraitChange } from './requests.js';

const listOf = (what: string): Rule => ({ expected: `a list of ${what}`, holds: Array.isArray });

/** The rules for the lists of a change, which the service and its client share. */
export const MEMBERSHIP: Rules<MembershipChange> = { join: listOf('user ids'), leave: listOf('user ids') };
export const VALUES: Rules<TraitChange> = { set: listOf('users and values'), remove: listOf('user ids') };
