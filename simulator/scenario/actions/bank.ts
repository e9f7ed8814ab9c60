/** Actions at the bank: the bank's own, and those of debtors. */
import type { BankNews } from '../../../server/src/integrations/ports/bank.ts'
import { receiveBankNews } from '../../../server/src/money/payments/index.ts'
import { transaction } from '../../../server/src/platform/db/transaction.ts'
import type { Write } from '../world.ts'
import { type Action, key, lookUp } from './pick.ts'

/** The bank or the debtor acts on an instruction, as its status allows. */
export const disturbBank: Action = async world => {
  const { random, app } = world
  const partner = random.int(0, app.clients.length - 1)
  const { data } = await app.clients[partner]!.listSandboxBankInstructions({
    page_size: 100,
    status: ['PENDING', 'IN_TRANSIT', 'SETTLED'],
  })
  const debits = data.filter(one => one.kind === 'SDD')
  const choices = debits.length > 0 && random.next() < 0.7 ? debits : data
  if (choices.length === 0) return null
  const { id: instruction_id, status, kind } = random.pick(choices)
  const settled =
    kind === 'SDD' && random.next() < 0.5
      ? ('refundSandboxInstruction' as const)
      : ('returnSandboxInstruction' as const)
  const pending = random.pick(['rejectSandboxInstruction', 'settleSandboxInstruction'] as const)
  const operation = status === 'SETTLED' ? settled : pending
  const once = key()
  const write: Write = async client => {
    await client[operation]({ instruction_id }, once)
  }
  return { partner, name: `${operation} of a ${kind}`, write }
}

/** The bank sends some of its latest news again. */
export const repeatNews: Action = async world => {
  const known = await lookUp<BankNews>(
    world,
    `select n.bank_reference, a.iban as account_iban, n.kind, n.payment_id, n.amount, n.direction,
       n.booked_on, n.value_on, n.reason_code, n.raw
     from bank_news n join bank_accounts a on a.id = n.bank_account_id
     order by n.id desc limit 12`,
  )
  const result = known.filter(() => world.random.next() < 0.5).toReversed()
  const write: Write = async () => {
    const { database } = world.app.context
    await transaction(database, { partners: '*', actor: 'service' }, tx =>
      receiveBankNews(tx, result),
    )
  }
  return { partner: 0, name: `the bank repeats ${result.length} news`, write }
}
