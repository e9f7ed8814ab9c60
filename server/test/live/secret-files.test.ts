/** A secret can be given as the path of a file, for every adapter. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { clockOn, FIRST_DAY, lenderVersion, liveConfig, liveEnvironment } from '../support/live.ts'
import type { Environment } from '../support/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'headroom-secrets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const read = (env: Environment) => liveConfig(env, clockOn(FIRST_DAY)())
const withCards = () =>
  liveEnvironment([lenderVersion({ adapters: { ...lenderVersion().adapters, cards: 'stripe' } })])

test('each secret is read from its file, without the newline at its end', () => {
  const { SMTP_PASSWORD: _, MEMORY_BANK_CODE: __, ...env } = withCards()
  const config = read({
    ...env,
    STRIPE_PUBLISHABLE_KEY: 'pk_1',
    STRIPE_ACCOUNT_ID: 'acct_1',
    STRIPE_FUNDING_IBAN: 'FR7630006000011234567890189',
    DATABASE_URL_FILE: file('database', 'postgresql://lender:p@db/headroom\r\n'),
    STRIPE_SECRET_KEY_FILE: file('stripe', 'rk_live_1\n'),
    STRIPE_WEBHOOK_SECRET_FILE: file('webhook', 'whsec_1'),
    SMTP_PASSWORD_FILE: file('smtp', ' with space \n\n'),
    MEMORY_BANK_CODE_FILE: file('bank', '99999999\n'),
  })
  expect(config.database_url).toBe('postgresql://lender:p@db/headroom')
  expect(config.stripe).toMatchObject({ secret_key: 'rk_live_1', webhook_secret: 'whsec_1' })
  expect(config.smtp?.login?.password).toBe(' with space ')
  expect(config.bank.environment).toEqual({ MEMORY_BANK_CODE: '99999999' })
})

test('a secret that is given twice, missing or empty is a fault, and not shown', () => {
  const env = liveEnvironment()
  const faultOf = (more: Environment) => {
    try {
      read({ ...env, ...more })
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }
  const twice = faultOf({ SMTP_PASSWORD_FILE: file('twice', 'other') })
  expect(twice).toContain('SMTP_PASSWORD and SMTP_PASSWORD_FILE are both set')
  expect(twice).not.toContain(env.SMTP_PASSWORD)
  const missing = { SMTP_PASSWORD: '', SMTP_PASSWORD_FILE: join(folder, 'nothing') }
  // Somebody may have put the secret itself where its file's path belongs.
  expect(faultOf(missing)).toContain('SMTP_PASSWORD_FILE: the file cannot be read')
  expect(faultOf(missing)).not.toContain(folder)
  const empty = { SMTP_PASSWORD: '', SMTP_PASSWORD_FILE: file('empty', '\n') }
  expect(faultOf(empty)).toContain('SMTP_PASSWORD_FILE: ')
})
