/** Actions on loans: requests and changes. */
import type { Input } from '@headroom/sdk'
import { addDays, type Day, day } from '../../../server/src/platform/kit/dates.ts'
import type { Borrower, PendingWrite, World, Write } from '../world.ts'
import { type Action, key, partnerOf, someBorrower, someLoan, today } from './pick.ts'

type LoanRequestBody = Input<'createLoan'>

/** The probability that a request is sent twice at once, which must create one loan. */
const TWICE_SHARE = 0.2

/** A loan request with its own client reference, sometimes sent twice. */
export function request(
  world: World,
  borrower: Pick<Borrower, 'partner'>,
  name: string,
  input: Omit<LoanRequestBody, 'salt_id' | 'auto_validate'>,
): PendingWrite {
  const { random, loans } = world
  const { partner } = borrower
  const salt_id = crypto.randomUUID()
  const auto_validate = random.next() < 0.85
  const body = { ...input, auto_validate, wait_for_validation: true, salt_id }
  const requests = random.next() < TWICE_SHARE ? [body, body] : [body]
  const write: Write = async client => {
    const made = await Promise.all(requests.map(one => client.createLoan(one)))
    for (const { id } of made) {
      if (!loans.some(loan => loan.id === id)) loans.push({ id, partner, salt_id })
    }
  }
  return { partner, name, write }
}

/**
 * The account to pay the loan to: the borrower's own, its wallet, or a generated one, on which the
 * payout may settle late or fail.
 */
async function target(world: World, borrower: Borrower): Promise<string> {
  const { random, app } = world
  const client = app.clients[borrower.partner]!
  const chance = random.next()
  if (chance < 0.6) return borrower.account_number
  if (chance < 0.7) {
    const { data } = await client.listWallets({ borrower_id: borrower.id })
    if (data.length > 0) return random.pick(data).account_number
  }
  const fails = random.next() < 0.15
  const scenario = fails ? random.pick(['SUCCESS_ONE_DAY_LATER', 'FAIL'] as const) : 'SUCCESS'
  return (await client.generateSandboxIban({ scenario })).iban
}

export const borrow: Action = async world => {
  const { random, app } = world
  const borrower = someBorrower(world)
  if (!borrower) return null
  const from = addDays(await today(app.clients[borrower.partner]!), random.int(0, 2))
  const days = random.next() < 0.7 ? random.int(1, 15) : random.int(1, 50)
  const amount = random.next() < 0.1 ? random.int(1, 200) : random.int(100_00, 20_000_00)
  return request(world, borrower, `borrow ${amount} for ${days} days`, {
    loan_type: 'WALLET_FINANCING',
    amount,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: await target(world, borrower) },
    to_pay_at: from,
    to_repay_at: addDays(from, days),
  })
}

export const borrowInParts: Action = async world => {
  const { random, app } = world
  const borrower = someBorrower(world)
  if (!borrower) return null
  const from = await today(app.clients[borrower.partner]!)
  const installments: { amount: number; date: Day }[] = []
  for (let n = random.int(2, 4), date = from; n > 0; n--) {
    date = addDays(date, random.int(2, 11))
    installments.push({ amount: random.int(1, 5_000_00), date })
  }
  const amount = installments.reduce((sum, one) => sum + one.amount, 0)
  return request(world, borrower, `borrow ${amount} in ${installments.length} parts`, {
    loan_type: 'WALLET_FINANCING',
    amount,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: await target(world, borrower) },
    to_pay_at: from,
    to_repay_at: installments.at(-1)!.date,
    installment_plan_type: 'INSTALLMENTS',
    installments,
  })
}

/** Validates or cancels a loan, or changes its due date or repayment method. */
export const changeLoan: Action = async world => {
  const { random } = world
  const loan = await someLoan(world, ['TO_VALIDATE', 'VALIDATED', 'SCHEDULED', 'TO_REPAY'])
  if (!loan) return null
  const loan_id = loan.id
  const once = key()
  const shift = random.int(-5, 20)
  const to_repay_at = addDays(day(loan.to_repay_at.slice(0, 10)), shift)
  const repayment_method = random.pick(['DIRECT_DEBIT', 'SCT', 'P2P'] as const)
  const choices: [string, Write][] = [
    ['postpone', async client => void (await client.changeLoan({ loan_id, to_repay_at }, once))],
    [
      `repay by ${repayment_method}`,
      async client => void (await client.changeLoan({ loan_id, repayment_method }, once)),
    ],
  ]
  if (loan.status !== 'TO_REPAY') {
    choices.push(['cancel', async client => void (await client.cancelLoan({ loan_id }, once))])
  }
  if (loan.status === 'TO_VALIDATE') {
    choices.push(['validate', async client => void (await client.validateLoan({ loan_id }, once))])
  }
  const [name, write] = random.pick(choices)
  return { partner: partnerOf(world, loan), name: `${name} a loan, ${shift} days`, write }
}
