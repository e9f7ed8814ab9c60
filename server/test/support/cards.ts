/** Steps of card stories: issues a card, spends with it and acts as its borrower. */
import type { TestApp } from './app.ts'
import { type ReadyBorrower, readyBorrower } from './story.ts'

/** An active card of the given borrower, or of a new one. */
export async function activeCard(app: TestApp, given?: ReadyBorrower) {
  const borrower = given ?? (await readyBorrower(app))
  const { id } = await app.client.createCard({
    borrower_id: borrower.id,
    first_name: 'Ada',
    last_name: 'Byron',
    phone_number: '+33612345678',
  })
  const card = await app.client.updateCardStatus({ card_id: id, status: 'active' })
  return { ...card, borrower }
}

export async function asBorrower({ client, clientOf }: TestApp, borrower_id: string) {
  const { access_token } = await client.createBorrowerAccessToken({ borrower_id })
  return clientOf(access_token)
}

export function authorize({ client }: TestApp, card: { id: string }, amount: number) {
  return client.authorizeSandboxCard({
    card_id: card.id,
    amount,
    currency: 'EUR',
    merchant_name: 'Bistro',
  })
}

/** Authorizes an amount and clears all of it. Returns the card entry. */
export async function spend(app: TestApp, card: { id: string }, amount: number) {
  const { authorization_id } = await authorize(app, card, amount)
  return app.client.clearSandboxAuthorization({ authorization_id })
}

export async function balanceOf({ client }: TestApp, card: { id: string }) {
  return (await client.getCard({ card_id: card.id })).balance
}
