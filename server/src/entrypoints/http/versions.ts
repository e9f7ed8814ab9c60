/** Determines a request's API version: the header's, or else the one pinned to the key. */
import { VERSIONS, type Version } from '@headroom/contract'
import { problem } from '../../platform/kit/problem.ts'

/**
 * The version of a request: the header's, or else the pinned one. Throws `header_invalid` for a
 * version that does not exist.
 */
export function versionOf(header: unknown, pinned: Version): Version {
  if (header === undefined) return pinned
  const version = VERSIONS.find(known => known === header)
  if (version) return version
  throw problem('header_invalid', `Headroom-Version is one of ${VERSIONS.join(', ')}.`, {
    invalid_params: [{ name: 'Headroom-Version', reason: `is none of ${VERSIONS.join(', ')}` }],
  })
}

const IGNORED_NAMED_MAX = 50

/**
 * Names of ignored fields as a header value: at most 50, each cut to 100 characters and
 * percent-encoded.
 */
export function ignoredFields(names: readonly string[]): string {
  return names
    .slice(0, IGNORED_NAMED_MAX)
    .map(name => encodeURIComponent(name.toWellFormed().slice(0, 100).toWellFormed()))
    .join(', ')
}
