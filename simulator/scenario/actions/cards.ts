/** Actions of cardholders and merchants, from the issue of a card to a dispute. */
import type { Answer } from '@headroom/contract'
import type { Authorization, Owned, World, Write } from '../world.ts'
import { type Action, key, pickOne, someBorrower } from './pick.ts'

type Entry = Answer<'listCardEntries'>[number]

export const issueCard: Action = async world => {
  const { random, cards } = world
  const borrower = someBorrower(world)
  if (!borrower) return null
  const { id: borrower_id, partner } = borrower
  const limit = { amount: random.int(1_00, 5_000_00), interval: 'daily' as const }
  const constraints = random.next() < 0.2 ? { spending_limits: [limit] } : null
  const keys = [key(), key()] as const
  const write: Write = async client => {
    const body = { borrower_id, first_name: 'Ada', last_name: 'Byron', constraints }
    const { id: card_id } = await client.createCard(body, keys[0])
    await client.updateCardStatus({ card_id, status: 'active' }, keys[1])
    if (!cards.some(card => card.id === card_id)) cards.push({ id: card_id, partner, borrower_id })
  }
  return { partner, name: 'issue a card', write }
}

/** Activates, deactivates or cancels a card, sometimes with two orders at once. */
export const switchCard: Action = async world => {
  const { random } = world
  const card = pickOne(world, world.cards)
  if (!card) return null
  const requests = Array.from({ length: random.next() < 0.5 ? 2 : 1 }, () => ({
    status: random.pick(['active', 'active', 'active', 'inactive', 'canceled'] as const),
    once: key(),
  }))
  const write: Write = async client => {
    const orders = requests.map(({ status, once }) =>
      client.updateCardStatus({ card_id: card.id, status }, once),
    )
    const outcomes = await Promise.allSettled(orders)
    const refused = outcomes.find(outcome => outcome.status === 'rejected')
    if (refused) throw refused.reason
  }
  const name = `a card is ${requests.map(input => input.status).join(' and ')}`
  return { partner: card.partner, name, write }
}

/** A merchant requests an authorization, and possibly an increase. */
export const swipe: Action = async world => {
  const { random, authorizations } = world
  const card = pickOne(world, world.cards)
  if (!card) return null
  const { partner, borrower_id } = card
  const amount = random.next() < 0.1 ? random.int(1, 60_000_00) : random.int(1, 900_00)
  const more = random.next() < 0.2 ? random.int(1, 100_00) : 0
  const keys = [key(), key()] as const
  const input = {
    amount,
    currency: 'EUR',
    merchant_name: 'Bistro',
    allow_partial: amount % 2 === 0,
  }
  const write: Write = async client => {
    const requested = await client.authorizeSandboxCard({ card_id: card.id, ...input }, keys[0])
    if (!requested.approved) return
    const id = requested.authorization_id
    const more_of = { authorization_id: id, amount: more }
    const held = more > 0 ? await client.incrementSandboxAuthorization(more_of, keys[1]) : requested
    if (authorizations.some(one => one.id === id)) return
    authorizations.push({
      id,
      partner,
      borrower_id,
      amount: Math.max(held.amount, requested.amount),
    })
  }
  return { partner, name: `a merchant asks for ${amount}`, write }
}

/** Merchants request several authorizations at the same moment, on one or several cards. */
export const swipeBurst: Action = async world => {
  const { random, authorizations } = world
  const first = pickOne(world, world.cards)
  if (!first) return null
  const { partner } = first
  const own = world.cards.filter(card => card.partner === partner)
  const asks = Array.from({ length: random.int(2, 8) }, () => ({
    card: random.next() < 0.5 ? first : random.pick(own),
    amount: random.int(1, 4_000_00),
    once: key(),
  }))
  const write: Write = async client => {
    const answers = await Promise.allSettled(
      asks.map(({ card, amount, once }) => {
        const input = { amount, currency: 'EUR', merchant_name: 'Bistro', allow_partial: false }
        return client.authorizeSandboxCard({ card_id: card.id, ...input }, once)
      }),
    )
    for (const [n, answer] of answers.entries()) {
      if (answer.status === 'rejected') throw answer.reason
      const { approved, authorization_id: id, amount } = answer.value
      const { borrower_id } = asks[n]!.card
      if (!approved || authorizations.some(one => one.id === id)) continue
      authorizations.push({ id, partner, borrower_id, amount })
    }
  }
  return { partner, name: `merchants ask ${asks.length} times at once`, write }
}

/** Counts an amount that may be cleared without authorization and so exceed the line. */
function force({ forced }: World, borrower_id: string, amount: number): void {
  forced.set(borrower_id, (forced.get(borrower_id) ?? 0n) + BigInt(amount))
}

/** A merchant clears the authorized amount, or less, or more, or a second time. */
export const clear: Action = async world => {
  const { random } = world
  const held: Authorization | null = pickOne(world, world.authorizations.slice(-12))
  if (!held) return null
  const most = held.amount
  const amount = random.pick([most, most, random.int(1, most), most + random.int(1, 200_00)])
  const once = key()
  const write: Write = async client => {
    // The authorization may have lapsed or been reversed or cleared, so all of the amount may be
    // unauthorized.
    force(world, held.borrower_id, amount)
    await client.clearSandboxAuthorization({ authorization_id: held.id, amount }, once)
  }
  return { partner: held.partner, name: `clear ${amount} of ${most}`, write }
}

export const reverse: Action = async world => {
  const { random } = world
  const held = pickOne(world, world.authorizations.slice(-12))
  if (!held) return null
  const amount = random.next() < 0.6 ? null : random.int(1, held.amount)
  const once = key()
  const write: Write = async client => {
    await client.reverseSandboxAuthorization({ authorization_id: held.id, amount }, once)
  }
  return { partner: held.partner, name: `a merchant gives back ${amount ?? 'all'}`, write }
}

export const forcePost: Action = async world => {
  const { random } = world
  const card: Owned | null = pickOne(world, world.cards)
  if (!card) return null
  const amount = random.int(1, 300_00)
  const once = key()
  const write: Write = async client => {
    force(world, card.borrower_id, amount)
    await client.forcePostSandboxCard({ card_id: card.id, amount }, once)
  }
  return { partner: card.partner, name: `force ${amount} on a card`, write }
}

/** A merchant refunds, or the cardholder wins a dispute. */
export const refundCard: Action = async world => {
  const { random, app } = world
  const card = pickOne(world, world.cards)
  if (!card) return null
  const { partner, id: card_id } = card
  const entries = await app.clients[partner]!.listCardEntries({ card_id })
  const spent = entries.filter((one: Entry) => one.status === 'completed' && one.amount > 0)
  const entry = pickOne(world, spent)
  const disputed = entry && random.next() < 0.3 ? entry : null
  const amount = entry ? random.int(1, entry.amount) : random.int(1, 50_00)
  const once = key()
  const write: Write = async client => {
    if (disputed) await client.disputeSandboxCardEntry({ entry_id: disputed.id, amount }, once)
    else await client.refundSandboxCard({ card_id, amount }, once)
  }
  return { partner, name: `${disputed ? 'dispute' : 'refund'} ${amount} of a card`, write }
}
