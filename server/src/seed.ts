/**
 * Seeds a sandbox at its first start with two demo partners, a referrer and an operator, and writes
 * the credentials to a file.
 */
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import type { Context } from './context.ts'
import { findPartnerCompany, setPartnerCompany } from './money/partner-terms/index.ts'
import { createReferrer } from './partners/referrers/index.ts'
import { createCaller, createOperator, createPartner } from './platform/access/index.ts'
import { lockExclusive } from './platform/db/locks.ts'
import { transaction } from './platform/db/transaction.ts'

export interface Credentials {
  base_url: string
  partner_key: string
  agent_key: string
  second_partner_key: string
  operator: { email: string; password: string }
  console_url: string
}

const ALL = { partners: '*', actor: 'service' } as const
const FILE = 'sandbox-credentials.json'

const consoleUrl = (base_url: string) => `${base_url}/console`

/** Seeds an empty database and returns the path of the credentials; null if it was not empty. */
export async function seedSandbox(context: Context): Promise<string | null> {
  const path = join(context.config.data_folder, FILE)
  const partners = await transaction(context.database, ALL, async tx => {
    await lockExclusive(tx, 'seed')
    const { n } = await tx.one(sql<{ n: number }>`select count(*)::int as n from partners`)
    if (n > 0) return null
    const first = await createPartner(tx, { name: 'Demo Payments' })
    const second = await createPartner(tx, { name: 'Demo Marketplace' })
    await createReferrer(tx, demoReferrer(first.partner_id), DEMO_REFERRER_ID)
    const agent = await createCaller(tx, first.partner_id, {
      name: 'Demo agent',
      actor: 'agent',
      scopes: null,
      version: '2026-07',
    })
    const operator = await createOperator(tx.as('command line'), {
      email: 'operator@headroom.example',
    })
    const made: Credentials = {
      base_url: context.config.base_url,
      partner_key: first.key.key,
      agent_key: agent.key,
      second_partner_key: second.key.key,
      operator: { email: operator.email, password: operator.password },
      console_url: consoleUrl(context.config.base_url),
    }
    // Written before the commit: committed keys that were not saved would be lost for good.
    await writeCredentials(path, made)
    return [first.partner_id, second.partner_id]
  })
  if (!partners) return null
  if (!context.ports.registry.answers_at_once) {
    context.log.info('the demo partners have no company: enter them, then use partner set-company')
    return path
  }
  for (const [index, partner_id] of partners.entries()) {
    await nameCompany(context, { partner_id, ...DEMO_COMPANIES[index]! })
  }
  return path
}

/** The demo partners' companies; their accounts receive collection fees and mark-up. */
const DEMO_COMPANIES = [
  {
    identifier: '900100207',
    emails: ['payments@headroom.example'],
    iban: 'FR7610107001011234567890129',
  },
  {
    identifier: '900100215',
    emails: ['marketplace@headroom.example'],
    iban: 'FR7611315000011234567890138',
  },
]

type DemoCompany = (typeof DEMO_COMPANIES)[number] & { readonly partner_id: string }

async function nameCompany(context: Context, company: DemoCompany): Promise<void> {
  const found = await findPartnerCompany(context, { ...company, sends_bills: false })
  await transaction(context.database, ALL, tx => setPartnerCompany(tx, found))
}

/** Fixed, because the documentation mentions it. */
const DEMO_REFERRER_ID = '01900000-0000-7000-8000-000000000201'

/** Receives a tenth of the interest paid by borrowers with the code DEMO. */
function demoReferrer(partner_id: string) {
  return {
    partner_id,
    name: 'Demo Broker',
    referrer_type: 'BROKER' as const,
    identifier: '404833048',
    referral_codes: ['DEMO'],
    revenue_share_rate: 10,
    sharing_duration: 'FOREVER' as const,
    vat_included: false,
    notification_emails: ['broker@headroom.example'],
    account_number: 'FR7630006000011234567890189',
    bank_identifier: 'AGRIFRPP',
  }
}

/** Updates the base URL in the credentials file and returns its path; null without a file. */
export async function serveCredentials(context: Context): Promise<string | null> {
  const path = join(context.config.data_folder, FILE)
  return refreshAddress(path, context.config.base_url)
}

/** The port may have changed since the last start. */
async function refreshAddress(path: string, base_url: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) return null
  const credentials: Credentials = JSON.parse(text)
  const console_url = consoleUrl(base_url)
  const current = { ...credentials, base_url, console_url }
  if (JSON.stringify(current) !== JSON.stringify(credentials)) await writeCredentials(path, current)
  return path
}

async function writeCredentials(path: string, credentials: Credentials): Promise<void> {
  // With an external database, the data folder may not exist yet.
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.new`
  await writeFile(temporary, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  await chmod(temporary, 0o600)
  await rename(temporary, path)
}
