/** operator create EMAIL and partner create NAME. */
import { parseArgs } from 'node:util'
import { ROLES } from '@headroom/contract'
import { createOperator, createPartner, readPartnerName } from '../access/index.ts'
import type { Config } from '../config.ts'
import { transaction } from '../db/transaction.ts'
import { withHouse } from './with-house.ts'

export async function createOperatorCommand(config: Config, args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { role: { type: 'string', default: 'admin' }, partner: { type: 'string' } },
  })
  const role = ROLES.find(known => known === values.role)
  if (!role) throw new Error(`${values.role} is none of ${ROLES.join(', ')}`)
  const email = named(positionals)
  const { partner: partner_id } = values
  const operator = await withHouse(config, ({ database }) =>
    transaction(database, { partners: '*' }, async tx => {
      if (partner_id !== undefined) await readPartnerName(tx, partner_id)
      return createOperator(tx, { email, role, ...(partner_id && { partner_id }) })
    }),
  )
  process.stdout.write(`${operator.email}\npassword (shown this once): ${operator.password}\n`)
  return 0
}

export async function createPartnerCommand(config: Config, args: string[]): Promise<number> {
  const name = named(args)
  const partner = await withHouse(config, ({ database }) =>
    transaction(database, { partners: '*' }, tx => createPartner(tx, { name })),
  )
  process.stdout.write(`${partner.partner_id}\nkey (shown this once): ${partner.key.key}\n`)
  return 0
}

/** What follows `create`; main has seen to it that something does. */
function named([, ...words]: string[]): string {
  return words.join(' ').trim()
}
