/** Actions of lender operators. */
import { overrideLimit } from '../../../server/src/companies/credit-lines/index.ts'
import { cancelFailedPayout, deleteLoan, payAgain } from '../../../server/src/credit/loans/index.ts'
import {
  dismissSuspense,
  matchSuspense,
  unmatchSuspense,
} from '../../../server/src/credit/repayments/index.ts'
import {
  findPartnerCompany,
  setPartnerCompany,
  setPartnerProduct,
} from '../../../server/src/money/partner-terms/index.ts'
import {
  activateSwitch,
  deactivateSwitch,
  readSwitches,
  type Switch,
  sendBackSuspense,
} from '../../../server/src/money/payments/index.ts'
import { findOperator } from '../../../server/src/platform/access/index.ts'
import { addDays } from '../../../server/src/platform/kit/dates.ts'
import { LENDER_ID } from '../../../server/src/platform/kit/ids.ts'
import { type Action, asOperator, key, lookUp, pickOne } from './pick.ts'

/** Two operators, because the one who activates a kill switch cannot deactivate it. */
export const OPERATORS = ['first@lender.example', 'second@lender.example'] as const
const DESK = 'desk'

export const resolveSuspense: Action = async world => {
  const { random } = world
  const items = await lookUp<{ id: string; status: string }>(
    world,
    `select id, status from suspense_items where status in ('OPEN', 'MATCHED') order by id`,
  )
  const item = pickOne(world, items)
  if (!item) return null
  const { id, status } = item
  const loan = pickOne(world, world.loans)
  const undone = async () => asOperator(world, tx => unmatchSuspense(tx.as(DESK), id))
  const choices: [string, () => Promise<void>][] = [
    ['send it back', () => asOperator(world, tx => sendBackSuspense(tx.as(DESK), id))],
    ['dismiss it', () => asOperator(world, tx => dismissSuspense(tx.as(DESK), id))],
  ]
  if (loan) {
    const matched = () => asOperator(world, tx => matchSuspense(tx.as(DESK), id, loan.id))
    choices.push(['match it', matched], ['match it', matched])
  }
  const [name, write] = status === 'MATCHED' ? ['undo a match', undone] : random.pick(choices)
  return { partner: 0, name: `suspense: ${name}`, write: write as () => Promise<void> }
}

export const payPayoutAgain: Action = async world => {
  const failed = await lookUp<{ id: string }>(
    world,
    `select id from loans where status = 'ISSUE_DETECTED' order by id`,
  )
  const loan = pickOne(world, failed)
  if (!loan) return null
  const again = world.random.next() < 0.6
  const people = world.random.next() < 0.3 ? 2 : 1
  const decide = () =>
    asOperator(world, tx =>
      again
        ? payAgain(tx.as(DESK), loan.id, world.app.context.ports.bank)
        : cancelFailedPayout(tx.as(DESK), loan.id),
    )
  // Two operators may decide at the same time; one of them is then refused.
  const write = async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: people }, decide))
    const refused = outcomes.find(outcome => outcome.status === 'rejected')
    if (refused) throw refused.reason
  }
  const name = `${again ? 'pay a payout again' : 'call a payout off'}, ${people} at once`
  return { partner: 0, name, write }
}

export const deleteOne: Action = async world => {
  const loan = pickOne(world, world.loans)
  if (!loan || world.random.next() < 0.5) return null
  const write = () =>
    asOperator(world, tx => deleteLoan(tx.as(DESK), loan.id, 'asked for by mistake'))
  return { partner: loan.partner, name: 'delete a loan', write }
}

export const setLimit: Action = async world => {
  const { random } = world
  const lines = await lookUp<{ id: string; ends_on: string }>(
    world,
    'select id from credit_lines order by id',
  )
  const line = pickOne(world, lines)
  if (!line) return null
  const pool_amount = BigInt(random.int(0, 60_000_00))
  const days = random.int(1, 20)
  const write = () =>
    asOperator(world, async tx => {
      const operator = await findOperator(tx, OPERATORS[0])
      const until_on = addDays(tx.today, days)
      const reason = 'a year of good business'
      await overrideLimit(tx.as(operator.id), {
        credit_line_id: line.id,
        pool_amount,
        reason,
        until_on,
      })
    })
  return { partner: 0, name: `set a limit of ${pool_amount} for ${days} days`, write }
}

const COMPANY = {
  identifier: '732829320',
  emails: ['bills@partner.example'],
  iban: 'FR7630006000011234567890189',
}

export const setTerms: Action = async world => {
  const { random } = world
  const partners = await lookUp<{ id: string }>(world, 'select id from partners order by id')
  const partner = random.int(0, partners.length - 1)
  const partner_id = partners[partner]!.id
  const [repayment_handled_by, fees_mode, mark_up_ppm] = random.pick([
    ['SERVICE', 'CHARGED', 0],
    ['SERVICE', 'PASSED_ON', 100],
    ['SERVICE', 'TRANSFERRED', 0],
    ['PARTNER', 'CHARGED', 0],
  ] as const)
  const sends_bills = random.next() < 0.4
  const write = async () => {
    const { context } = world.app
    const found = await findPartnerCompany(context, { partner_id, ...COMPANY, sends_bills })
    await asOperator(world, async tx => {
      await setPartnerCompany(tx.as('command line'), found)
      await setPartnerProduct(tx.as('command line'), {
        partner_id,
        product_type: 'WALLET_FINANCING',
        repayment_handled_by,
        fees_mode,
        mark_up_ppm,
      })
    })
  }
  const sends = sends_bills ? ', sends bills itself' : ''
  return { partner, name: `terms: ${repayment_handled_by} ${fees_mode}${sends}`, write }
}

/** Deactivates all active kill switches. If none is active, the other operator activates one. */
export const toggleSwitch: Action = async world => {
  const { random } = world
  const partners = await lookUp<{ id: string }>(world, 'select id from partners order by id')
  const what: Switch = random.pick([
    { kind: 'payouts', partner_id: LENDER_ID },
    { kind: 'collections', partner_id: LENDER_ID },
    { kind: 'partner', partner_id: random.pick(partners).id },
  ])
  const write = () =>
    asOperator(world, async tx => {
      const [first, second] = [
        await findOperator(tx, OPERATORS[0]),
        await findOperator(tx, OPERATORS[1]),
      ]
      const thrown = await readSwitches(tx)
      for (const { kind, partner_id } of thrown) {
        await deactivateSwitch(tx.as(second.id), { kind, partner_id } as Switch)
      }
      if (thrown.length === 0) await activateSwitch(tx.as(first.id), what, 'something is strange')
    })
  return { partner: 0, name: `stop or resume ${what.kind}`, write }
}

/** Sets up a life: the lender's cash, much or little, and whether the product has a monthly fee. */
export const setUpLender: Action = async world => {
  const { random, app } = world
  const { funding_iban } = app.context.database.settings.lender
  const poor = random.next() < 0.3
  const fee = random.next() < 0.4 ? 990 : 0
  const transfer = { to_iban: funding_iban, amount: random.int(20_000_00, 90_000_00) }
  const once = key()
  return {
    partner: 0,
    name: `begin ${poor ? `with ${transfer.amount} in cash` : 'rich'}, a fee of ${fee}`,
    write: async client => {
      // A deposit before the first payout replaces the default capital.
      if (poor) await client.createSandboxIncomingTransfer(transfer, once)
      await asOperator(world, tx =>
        tx.raw(`update products set monthly_fee = ${fee} where product_type = 'WALLET_FINANCING'`),
      )
    },
  }
}
