/** Names the terms that a lender offers, under which their documents are stored. */
import type { Settings } from '../../platform/db/settings.ts'
import { canonicalJson, sha256 } from '../../platform/kit/crypto.ts'
import { lenderOf } from './lender.ts'
import { TERMS_VERSION } from './terms.ts'

/**
 * The version of the text, with a hash of what the terms say about a live deployment's lender. The
 * lender of a sandbox never changes.
 */
export function termsKey({ mode, lender }: Settings): string {
  if (mode === 'sandbox') return TERMS_VERSION
  return `${TERMS_VERSION} ${sha256(canonicalJson(lenderOf(lender))).slice(0, 16)}`
}
