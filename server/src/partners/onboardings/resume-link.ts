/** Signed links for resuming an onboarding. */
import type { Settings } from '../../platform/db/settings.ts'
import type { Scope } from '../../platform/db/turns.ts'
import { hexKey, hmacSign, hmacVerify } from '../../platform/kit/crypto.ts'

/** The URL of a session's page, valid as long as the session is open. */
export function resumeLink(settings: Settings, id: string): string {
  const signature = hmacSign(signedText(id), hexKey(settings.secret))
  return `${settings.base_url}/onboarding/${id}?signature=${signature}`
}

/** Whether we issued this link; whether its session is still open is checked elsewhere. */
export function isResumeSignature(settings: Settings, id: string, signature: string): boolean {
  return hmacVerify(signedText(id), signature, hexKey(settings.secret))
}

function signedText(id: string): string {
  return `onboarding:${id.toLowerCase()}`
}

/** The scope of a step's transaction, with the holder of the link as the actor. */
export function scopeOfHolder(partner_id: string): Scope {
  return { partners: [partner_id], actor: 'onboarding' }
}
