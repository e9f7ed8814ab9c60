/** operator create EMAIL and partner create NAME. */
import { createOperator, createPartner } from '../access/index.ts'
import type { Config } from '../config.ts'
import { transaction } from '../db/transaction.ts'
import { withHouse } from './with-house.ts'

export async function createOperatorCommand(config: Config, args: string[]): Promise<number> {
  const email = named(args)
  const operator = await withHouse(config, ({ database }) =>
    transaction(database, { partners: '*' }, tx => createOperator(tx, { email })),
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
