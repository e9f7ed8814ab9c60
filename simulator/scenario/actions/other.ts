/** Actions that fit no other file. */
import type { Write } from '../world.ts'
import { type Action, key, lookUp, pickOne } from './pick.ts'

/** Reads lists while others write. */
export const readLists: Action = async ({ random, app }) => {
  const partner = random.int(0, app.clients.length - 1)
  const write: Write = async client => {
    const lists = [client.listLoans({}), client.listPayments({}), client.listBills({})]
    await Promise.all([...lists, client.listCards({}), client.listInvoices({})])
  }
  return { partner, name: 'look around', write }
}

export const activateFee: Action = async world => {
  const waiting = await lookUp<{ id: string; partner: number }>(
    world,
    `select s.id, (select count(*) from partners p where p.id < s.partner_id)::int as partner
     from subscriptions s where s.status = 'CREATED' order by s.id`,
  )
  const one = pickOne(world, waiting)
  if (!one) return null
  const once = key()
  const write: Write = async client => {
    await client.activateSubscription({ subscription_id: one.id }, once)
  }
  return { partner: one.partner, name: 'activate a monthly fee', write }
}
