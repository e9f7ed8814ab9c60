/** The `partner` commands: create a partner, or change its settings. */
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import {
  findPartnerCompany,
  setPartnerCompany,
  setPartnerProduct,
} from '../../money/partner-terms/index.ts'
import { createPartner, setGate } from '../../platform/access/index.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { withApp } from './with-app.ts'

export const PARTNER_SETTINGS = [
  'partner set-company ID NUMBER EMAIL[,…] [IBAN] [--sends-bills]',
  'partner set-gate ID agents|everyone',
  'partner set-product ID TYPE SERVICE|PARTNER CHARGED|PASSED_ON|TRANSFERRED [% A DAY]',
]

/** The actor recorded for changed settings, since commands do not identify their user. */
const ACTOR = 'command line'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const EMAILS = /^[^\s@,]+@[^\s@,]+(,[^\s@,]+@[^\s@,]+)*$/
const TERMS = /^(SERVICE|PARTNER) (CHARGED|PASSED_ON|TRANSFERRED)( \d(\.\d{1,4})?)?$/
const PPM_PER_PERCENT = 10_000

/** Whether the arguments have the form of a partner command; running it checks their values. */
export function isPartnerCommand([verb, id = '', ...words]: string[]): boolean {
  const [first, second = ''] = words
  if (verb === 'create') return [id, ...words].join('').trim() !== ''
  if (!first || !UUID.test(id)) return false
  if (verb === 'set-gate') return /^(agents|everyone)$/.test(words.join(' '))
  if (verb === 'set-product') return TERMS.test(words.slice(1).join(' '))
  const [, , iban, ...more] = words.filter(word => word !== '--sends-bills')
  return verb === 'set-company' && EMAILS.test(second) && more.length === 0 && iban !== ''
}

export async function partnerCommand(config: Config, args: string[]): Promise<number> {
  const [verb, partner_id = '', ...words] = args
  if (verb === 'create') return create(config, args.slice(1).join(' ').trim())
  const set = SETTERS[verb as keyof typeof SETTERS]
  await withApp(config, context => set(context, partner_id, words))
  return 0
}

async function create(config: Config, name: string): Promise<number> {
  const partner = await withApp(config, ({ database }) =>
    transaction(database, { partners: '*', actor: ACTOR }, tx => createPartner(tx, { name })),
  )
  process.stdout.write(`${partner.partner_id}\nkey (shown this once): ${partner.key.key}\n`)
  return 0
}

async function setCompany(context: Context, partner_id: string, words: string[]) {
  const sends_bills = words.includes('--sends-bills')
  const [identifier, emails, iban] = words.filter(word => word !== '--sends-bills')
  const input = {
    partner_id,
    sends_bills,
    identifier: identifier!,
    emails: emails!.split(','),
    iban: iban ?? null,
  }
  const found = await findPartnerCompany(context, input)
  await transaction(context.database, { partners: '*', actor: ACTOR }, tx =>
    setPartnerCompany(tx, found),
  )
}

async function setProduct({ database }: Context, partner_id: string, words: string[]) {
  const [product_type, handled_by, fees_mode, percent = '0'] = words
  const input = {
    partner_id,
    product_type: product_type!,
    repayment_handled_by: handled_by as 'SERVICE' | 'PARTNER',
    fees_mode: fees_mode as 'CHARGED' | 'PASSED_ON' | 'TRANSFERRED',
    mark_up_ppm: Math.round(Number(percent) * PPM_PER_PERCENT),
  }
  await transaction(database, { partners: '*', actor: ACTOR }, tx => setPartnerProduct(tx, input))
}

async function setGateScope({ database }: Context, partner_id: string, [who]: string[]) {
  const gate = { people_need_decisions: who === 'everyone' }
  await transaction(database, { partners: '*', actor: ACTOR }, tx => setGate(tx, partner_id, gate))
}

const SETTERS = {
  'set-company': setCompany,
  'set-product': setProduct,
  'set-gate': setGateScope,
}
