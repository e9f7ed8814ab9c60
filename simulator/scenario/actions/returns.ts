/** Debts paid twice, and late returns by banks and debtors. */
import type { World, Write } from '../world.ts'
import { transfer } from './money.ts'
import { type Action, key, lookUp, partnerOf, pickOne } from './pick.ts'

interface Collected {
  id: string
  partner: number
  amount: bigint
  /** Null for a debit of a bill or installment. */
  loan_id: string | null
  days: number
}

/** Debits settled at least `days_min` days ago, newest first, with their age in days. */
function settledDebits(world: World, days_min: number): Promise<Collected[]> {
  return lookUp<Collected>(
    world,
    `with day as (select max(value_on) as today from sandbox_bank_statement)
     select i.id, i.amount, p.loan_id, day.today - i.settled_on as days,
       (select count(*) from partners x where x.id < p.partner_id)::int as partner
     from sandbox_bank_instructions i join payments p on p.id = i.payment_id cross join day
     where i.direction = 'IN' and i.kind = 'SDD' and i.state = 'SETTLED'
       and day.today - i.settled_on >= ${days_min}
     order by i.settled_on desc, i.id limit 20`,
  )
}

/**
 * A guarantor or the borrower pays a loan that a debit has already collected, sometimes along with
 * a second loan.
 */
export const payTwice: Action = async world => {
  const { random, app } = world
  const debits = await settledDebits(world, 0)
  const known = debits.filter(one => world.loans.some(loan => loan.id === one.loan_id))
  const debit = pickOne(world, known.slice(0, 5))
  if (!debit?.loan_id) return null
  const partner = partnerOf(world, { id: debit.loan_id })
  const client = app.clients[partner]!
  const loan = await client.getLoan({ loan_id: debit.loan_id })
  const collected = Number(debit.amount)
  const amount = random.pick([collected, loan.amount, 2 * collected, random.int(1, collected)])
  const own = random.next() < 0.5
  // Sometimes the transfer also has another loan of the same partner as a target.
  const others = known.filter(one => one.loan_id !== loan.id && one.partner === debit.partner)
  const other = random.next() < 0.3 ? pickOne(world, others)?.loan_id : null
  const names = [loan, ...(other ? [await client.getLoan({ loan_id: other })] : [])]
  return transfer(partner, `pay ${amount} for what a debit has paid, ${debit.days} days ago`, {
    to_iban: loan.repayment_to.account_number,
    amount,
    from_iban: own ? loan.loan_to.account_number : 'FR7630006000011234567890189',
    from_name: own ? 'Borrower' : 'Guarantor',
    reference: names.map(one => one.repayment_to_references[0]!).join(' '),
  })
}

/** A guarantor pays, by reference, a bill or installment that a debit has already collected. */
export const payBillTwice: Action = async world => {
  const { random, app } = world
  const paid = await lookUp<{ reference: string; amount: bigint; partner: number }>(
    world,
    `select coalesce(b.reference, n.reference) as reference, i.amount,
       (select count(*) from partners x where x.id < p.partner_id)::int as partner
     from sandbox_bank_instructions i join payments p on p.id = i.payment_id
     left join bills b on b.id = p.bill_id
     left join plan_installments n on n.id = p.installment_id
     where i.direction = 'IN' and i.kind = 'SDD' and i.state = 'SETTLED'
       and coalesce(b.reference, n.reference) is not null
     order by i.settled_on desc, i.id limit 5`,
  )
  const one = pickOne(world, paid)
  if (!one) return null
  const amount = random.pick([Number(one.amount), random.int(1, Number(one.amount))])
  return transfer(one.partner, `pay ${amount} of a bill or installment that a debit has paid`, {
    to_iban: app.context.database.settings.lender.collection_iban,
    amount,
    from_iban: 'FR7630006000011234567890189',
    from_name: 'Guarantor',
    reference: one.reference,
  })
}

/**
 * A debtor has a debit refunded days or weeks later, as authorized (MD06) or unauthorized (MD01).
 */
export const refundLate: Action = async world => {
  const { random } = world
  const old = await settledDebits(world, random.pick([3, 6, 15, 30]))
  const debit = pickOne(world, old)
  if (!debit) return null
  const once = key()
  const reason_code = random.pick(['MD06', 'MD06', 'MD01'] as const)
  const write: Write = async client => {
    await client.refundSandboxInstruction({ instruction_id: debit.id, reason_code }, once)
  }
  const name = `refund a debit of ${debit.days} days ago, ${reason_code}`
  return { partner: debit.partner, name, write }
}

/** The bank returns a refund because the payee's account is closed. */
export const returnRefund: Action = async world => {
  const refunds = await lookUp<{ id: string; partner: number }>(
    world,
    `select i.id, (select count(*) from partners x where x.id < p.partner_id)::int as partner
     from sandbox_bank_instructions i join payments p on p.id = i.payment_id
     where i.direction = 'OUT' and i.state = 'SETTLED' and p.payment_type = 'REFUND'
     order by i.settled_on desc, i.id limit 5`,
  )
  const refund = pickOne(world, refunds)
  if (!refund) return null
  const once = key()
  const write: Write = async client => {
    const body = { instruction_id: refund.id, reason_code: 'AC04' }
    await client.returnSandboxInstruction(body, once)
  }
  return { partner: refund.partner, name: 'a refund comes back', write }
}

/** The borrower pays a part of the debt while the bank has an order to debit all of it. */
export const payPartOfDebit: Action = async world => {
  const { random, app } = world
  const ordered = await lookUp<{ loan_id: string; amount: bigint }>(
    world,
    `select p.loan_id, p.amount from payments p
     join sandbox_bank_instructions i on i.payment_id = p.id and i.state = 'PENDING'
     where p.direction = 'IN' and p.payment_type = 'REPAYMENT_NOMINAL' and p.loan_id is not null
     order by p.id`,
  )
  const known = ordered.filter(one => world.loans.some(loan => loan.id === one.loan_id))
  const debit = pickOne(world, known)
  if (!debit) return null
  const partner = partnerOf(world, { id: debit.loan_id })
  const loan = await app.clients[partner]!.getLoan({ loan_id: debit.loan_id })
  const amount = random.int(1, Number(debit.amount))
  return transfer(partner, `pay ${amount} of an ordered debit of ${debit.amount}`, {
    to_iban: loan.repayment_to.account_number,
    amount,
    from_name: 'Borrower',
    from_iban: loan.loan_to.account_number,
    reference: loan.repayment_to_references[0]!,
  })
}
