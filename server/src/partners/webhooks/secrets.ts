/** Signing secrets: made here, kept encrypted, readable only as the webhook they belong to. */
import { randomBytes } from 'node:crypto'
import type { Settings } from '../../platform/db/settings.ts'
import { decrypt, encrypt, hexKey } from '../../platform/kit/crypto.ts'

const SECRET_BYTES = 32

/** A new secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

export function sealSecret(settings: Settings, webhook_id: string, secret: string): string {
  return encrypt(secret, hexKey(settings.secret), contextOf(webhook_id))
}

/** Throws when it was sealed for another webhook or another deployment. */
export function openSecret(settings: Settings, webhook_id: string, sealed: string): string {
  return decrypt(sealed, hexKey(settings.secret), contextOf(webhook_id))
}

function contextOf(webhook_id: string): string {
  return `webhooks.secret:${webhook_id}`
}
