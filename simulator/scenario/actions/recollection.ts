/** Collections: cases, installment plans kept or broken, and write-offs. */
import {
  approveWriteOff,
  proposeWriteOff,
  readProposedWriteOffs,
  rejectWriteOff,
} from '../../../server/src/credit/loans/index.ts'
import { resumeInterest, stopInterest } from '../../../server/src/credit/recollection/index.ts'
import { findOperator } from '../../../server/src/platform/access/index.ts'
import { addDays } from '../../../server/src/platform/kit/dates.ts'
import type { World, Write } from '../world.ts'
import { OPERATORS } from './desk.ts'
import {
  type Action,
  asOperator,
  key,
  lookUp,
  partnerOf,
  pickOne,
  someLoan,
  today,
} from './pick.ts'

export const openCase: Action = async world => {
  const loan = await someLoan(world, ['TO_REPAY', 'TO_REPAY_FEES'])
  if (!loan) return null
  const partner = partnerOf(world, loan)
  const { identifier, identifier_type } = loan.borrower
  const body = {
    agent: 'Ada',
    loan_ids: [loan.id],
    bill_ids: [],
    salt_id: crypto.randomUUID(),
    debtor_business: { identifier, identifier_type: identifier_type! },
    next_action: { action_name: 'Call', due_at: '2040-01-02' },
  }
  const write: Write = async client => void (await client.createRecollectionCase(body))
  return { partner, name: 'open a case', write }
}

interface Case {
  id: string
  partner: number
}

function openCases(world: World): Promise<Case[]> {
  return lookUp<Case>(
    world,
    `select c.id, (select count(*) from partners p where p.id < c.partner_id)::int as partner
     from recollection_cases c where c.closed_at is null order by c.id`,
  )
}

/** Stops or resumes the interest of a case's loans, as insolvency law may require. */
export const holdInterest: Action = async world => {
  const { random } = world
  const cases = await lookUp<{ id: string; borrower_id: string; stands: boolean }>(
    world,
    `select c.id, c.borrower_id, s.id is not null as stands from recollection_cases c
     left join recollection_interest_stops s on s.case_id = c.id and s.resumed_on is null
     where c.closed_at is null or s.id is not null order by c.id`,
  )
  const about = pickOne(world, cases)
  if (!about) return null
  const back = random.int(0, 12)
  const change = about.stands ? resumeInterest : stopInterest
  const write = () => {
    if (about.stands) world.resumed.add(about.borrower_id)
    return asOperator(world, async tx => {
      const { id } = await findOperator(tx, OPERATORS[0])
      const on = addDays(tx.today, -back)
      await change(tx.as(id), { case_id: about.id, on, reason: 'insolvency' })
    })
  }
  const name = `interest ${about.stands ? 'runs again' : 'stands still'} since ${back} days`
  return { partner: 0, name, write }
}

export const agreeOnPlan: Action = async world => {
  const { random, app } = world
  const about = pickOne(world, await openCases(world))
  if (!about) return null
  const on = await today(app.clients[about.partner]!)
  const terms = {
    number_of_installment: random.int(1, 4),
    period: random.pick(['weekly', 'biweekly', 'monthly'] as const),
    start_date: addDays(on, random.int(0, 8)),
    repayment_method: random.pick(['DIRECT_DEBIT', 'SCT', 'SCT', 'P2P'] as const),
    ...(random.next() < 0.4 && { recollection_fees: random.int(1, 90_00) }),
  }
  const own = { is_contractual: random.next() < 0.4, salt_id: crypto.randomUUID() }
  const recollection_case_id = about.id
  const write: Write = async client => {
    const requested = { recollection_case_id, ...terms }
    const computed = await client.computeRecollectionInstallmentPlan(requested)
    await client.createRecollectionInstallmentPlan({ recollection_case_id, ...computed, ...own })
  }
  const { number_of_installment, period, repayment_method } = terms
  const name = `a plan of ${number_of_installment} parts, ${period}, ${repayment_method}`
  return { partner: about.partner, name, write }
}

/** Pays an installment by its reference: all of it, a part, or more. */
export const payInstallment: Action = async world => {
  const { random, app, borrowers } = world
  const open = await lookUp<Case & { reference: string; left: bigint; borrower_id: string }>(
    world,
    `select i.id, i.reference, l.borrower_id, p.left,
       (select count(*) from partners x where x.id < i.partner_id)::int as partner
     from plan_installments i join installment_plans l on l.id = i.plan_id
     cross join lateral (select sum(a.due - a.paid)::bigint as left from installment_parts a
       where a.installment_id = i.id) p
     where l.status in ('SCHEDULED', 'ACTIVE') and p.left > 0 order by i.due_on, i.id limit 6`,
  )
  const one = pickOne(world, open)
  if (!one) return null
  const left = Number(one.left)
  const amount = random.pick([left, left, random.int(1, left), left + random.int(1, 300_00)])
  const body = {
    to_iban: app.context.database.settings.lender.collection_iban,
    amount,
    from_iban: borrowers.find(known => known.id === one.borrower_id)?.account_number ?? null,
    from_name: 'Debtor',
    reference: one.reference,
  }
  const once = key()
  const write: Write = async client => {
    await client.createSandboxIncomingTransfer(body, once)
  }
  return { partner: one.partner, name: `pay ${amount} of ${left} of an installment`, write }
}

export const closeCase: Action = async world => {
  const about = pickOne(world, await openCases(world))
  if (!about || world.random.next() < 0.5) return null
  const once = key()
  const requested = { recollection_case_id: about.id, reason: 'settled between them' }
  const write: Write = async client => void (await client.closeRecollectionCase(requested, once))
  return { partner: about.partner, name: 'close a case', write }
}

/** One operator proposes a write-off; another approves or rejects it. */
export const writeOff: Action = async world => {
  const { random } = world
  const [first, second] = OPERATORS
  const loan = await someLoan(world, ['TO_REPAY', 'TO_REPAY_FEES'])
  const back = random.int(0, 6)
  const agrees = random.next() < 0.7
  const write = () =>
    asOperator(world, async tx => {
      const [waiting] = await readProposedWriteOffs(tx)
      if (waiting) {
        const { id } = await findOperator(tx, second)
        if (agrees) await approveWriteOff(tx.as(id), waiting.id)
        else await rejectWriteOff(tx.as(id), waiting.id, 'they will pay')
      } else if (loan) {
        const { id } = await findOperator(tx, first)
        const written_off_on = addDays(tx.today, -back)
        await proposeWriteOff(tx.as(id), {
          loan_id: loan.id,
          written_off_on,
          reason: 'insolvent',
        })
      }
    })
  return { partner: 0, name: 'give a loan up, or agree to it', write }
}
