/** Actions on bills: partners report them as sent, and open collections cases on unpaid ones. */
import type { World, Write } from '../world.ts'
import { type Action, key, lookUp, pickOne, today } from './pick.ts'

interface Bill {
  id: string
  partner: number
  identifier: string
  identifier_type: 'siren'
}

function someBills(world: World, condition: string): Promise<Bill[]> {
  return lookUp<Bill>(
    world,
    `select b.id, o.identifier, o.identifier_type,
       (select count(*) from partners p where p.id < b.partner_id)::int as partner
     from bills b left join borrowers o on o.id = b.borrower_id where ${condition} order by b.id`,
  )
}

/** A partner reports a bill as sent, possibly a second time. */
export const reportBillSent: Action = async world => {
  const waiting = await someBills(world, `b.status = 'VALIDATED'`)
  const again = await someBills(world, `b.status in ('TO_PAY', 'PAID')`)
  const bill = pickOne(world, waiting.length > 0 ? waiting : again.slice(-3))
  if (!bill) return null
  const once = key()
  const sent_on = await today(world.app.clients[bill.partner]!)
  const body = { bill_id: bill.id, sent_on, to_email_addresses: ['debtor@company.example'] }
  const write: Write = async client => {
    await client.noteBillSent(body, once)
  }
  return { partner: bill.partner, name: 'report a bill as sent', write }
}

/** Opens a case for bills only: for one or several unpaid bills of a debtor. */
export const openBillCase: Action = async world => {
  const { random } = world
  const open = await someBills(
    world,
    `b.borrower_id is not null and b.status in ('TO_PAY', 'SENT_TO_PAYER', 'VALIDATED')`,
  )
  const bill = pickOne(world, open)
  if (!bill) return null
  const { identifier, identifier_type, partner } = bill
  const own = open.filter(one => one.identifier === identifier && one.partner === partner)
  const bill_ids = own.filter(one => one === bill || random.next() < 0.5).map(one => one.id)
  const body = {
    agent: 'Ada',
    loan_ids: [],
    bill_ids,
    salt_id: crypto.randomUUID(),
    debtor_business: { identifier, identifier_type },
    next_action: { action_name: 'Call', due_at: '2040-01-02' },
  }
  const write: Write = async client => void (await client.createRecollectionCase(body))
  return { partner, name: `open a case about ${bill_ids.length} bills`, write }
}
