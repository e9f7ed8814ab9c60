/** The sandbox's simulated card processor: issues cards without numbers and stores their status. */
import { sql } from 'kysely'
import { type Database, transaction } from '../../../platform/db/transaction.ts'
import { randomToken, sha256 } from '../../../platform/kit/crypto.ts'
import type { CardIssuer, CardStatus, IssuerOutcome, StatusOrder } from '../../ports/card-issuer.ts'
import { generateVirtualIban } from './ibans.ts'

const ACCOUNT = 'acct_sandbox'
/** The number of the processor's account at the sandbox bank; `lender.ts` uses 1, 2 and 4. */
const PROCESSOR_ACCOUNT = 3

/** Provider ids derive from ours, so a repeated request issues no second card. */
export function sandboxCardIssuer({ database }: { database: Database }): CardIssuer {
  return {
    processor: 'sandbox',
    settlement_account: { iban: generateVirtualIban(PROCESSOR_ACCOUNT), name: 'Sandbox processor' },
    missing: () => [],
    issue: async ({ card_id, partner_id }) => {
      const provider_card_id = `ic_sandbox_${card_id.replaceAll('-', '')}`
      const last4 = `${Number.parseInt(sha256(card_id).slice(0, 8), 16)}`.slice(-4).padStart(4, '0')
      await transaction(database, { partners: [partner_id], actor: 'processor' }, tx =>
        tx.run(sql`
          insert into sandbox_cards (card_id, partner_id, provider_card_id, last4, state)
          values (${card_id}, ${partner_id}, ${provider_card_id}, ${last4}, 'inactive')
          on conflict do nothing`),
      )
      const done = { provider_account_id: ACCOUNT, provider_card_id, brand: 'Visa', last4 }
      return { state: 'done', done }
    },
    open: () => null,
    read: () => [],
    setStatus: order => setStatus(database, order),
    readStatus: provider_card_id => readStatus(database, provider_card_id),
    ephemeralKey: async () => ({
      state: 'done',
      done: {
        ephemeral_key_secret: `ek_sandbox_${randomToken(24)}`,
        publishable_key: 'pk_sandbox',
      },
    }),
  }
}

type Outcome = IssuerOutcome<CardStatus>

/** Canceled is final, as at a real processor. */
async function setStatus(database: Database, order: StatusOrder): Promise<Outcome> {
  const { provider_card_id, status } = order
  const changed = await transaction(database, { partners: '*', actor: 'processor' }, tx =>
    tx.run(sql`
      update sandbox_cards set state = ${status}
      where provider_card_id = ${provider_card_id}
        and (state <> 'canceled' or ${status} = 'canceled')`),
  )
  return changed === 1
    ? { state: 'done', done: status }
    : { state: 'refused', reason: 'the card is canceled' }
}

async function readStatus(database: Database, provider_card_id: string): Promise<Outcome> {
  const { state } = await transaction(database, { partners: '*', read_only: true }, tx =>
    tx.one(sql<{ state: CardStatus }>`
      select state from sandbox_cards where provider_card_id = ${provider_card_id}`),
  )
  return { state: 'done', done: state }
}
