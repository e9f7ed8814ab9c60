/** operator create, disable and reset: manages the lender's and partners' operators. */
import { parseArgs } from 'node:util'
import { ROLES } from '@headroom/contract'
import type { Config } from '../../config.ts'
import {
  createOperator,
  disableOperator,
  type NewOperator,
  readPartnerName,
  resetOperator,
} from '../../platform/access/index.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import { withApp } from './with-app.ts'

export const OPERATOR_USAGE = [
  'operator create EMAIL --role viewer|reviewer|admin --partner ID',
  'operator disable EMAIL',
  'operator reset EMAIL',
]

/** Whether the arguments have the form of an operator command; running it checks their values. */
export function isOperatorCommand([verb, ...words]: string[]): boolean {
  if (verb === 'create') return words.join('').trim() !== ''
  return (verb === 'disable' || verb === 'reset') && words.length === 1
}

export async function operatorCommand(config: Config, args: string[]): Promise<number> {
  const [verb, ...words] = args
  const work = verb === 'create' ? creation(words) : change(verb, words[0]!)
  const made = await withApp(config, ({ database }) =>
    transaction(database, { partners: '*', actor: 'command line' }, work),
  )
  if (made) process.stdout.write(`${made.email}\npassword (shown this once): ${made.password}\n`)
  return 0
}

function creation(args: string[]): (tx: Tx) => Promise<NewOperator> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { role: { type: 'string', default: 'admin' }, partner: { type: 'string' } },
  })
  const role = ROLES.find(known => known === values.role)
  if (!role) throw new Error(`${values.role} is none of ${ROLES.join(', ')}`)
  const email = positionals.join(' ').trim()
  const { partner: partner_id } = values
  return async tx => {
    if (partner_id !== undefined) await readPartnerName(tx, partner_id)
    return createOperator(tx, { email, role, ...(partner_id && { partner_id }) })
  }
}

function change(verb: string | undefined, email: string) {
  return async (tx: Tx): Promise<NewOperator | null> => {
    if (verb === 'reset') return resetOperator(tx, email)
    await disableOperator(tx, email)
    return null
  }
}
