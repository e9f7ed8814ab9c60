/** Which companies are public bodies, as far as their numbers tell. */

/**
 * Spanish numbers tell the legal form by their first letter: P local, Q autonomous and S central
 * public bodies.
 */
export function isPublicBody({ identifier, country }: { identifier: string; country: string }) {
  return country === 'ES' && /^(ES)?[PQS]/.test(identifier)
}
