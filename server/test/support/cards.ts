/** What stories about cards do: issue one, spend with it, look at it as its borrower does. */
import type { TestHouse } from './house.ts'
import { type ReadyBorrower, readyBorrower } from './story.ts'

/** An active card of a borrower, a new one unless it is given. */
export async function activeCard(house: TestHouse, given?: ReadyBorrower) {
  const borrower = given ?? (await readyBorrower(house))
  const { id } = await house.client.createCard({
    borrower_id: borrower.id,
    first_name: 'Ada',
    last_name: 'Byron',
    phone_number: '+33612345678',
  })
  const card = await house.client.updateCardStatus({ card_id: id, status: 'active' })
  return { ...card, borrower }
}

/** A client that calls by the access token of a borrower. */
export async function asBorrower({ client, clientOf }: TestHouse, borrower_id: string) {
  const { access_token } = await client.createBorrowerAccessToken({ borrower_id })
  return clientOf(access_token)
}

export function authorize({ client }: TestHouse, card: { id: string }, amount: number) {
  return client.authorizeSandboxCard({
    card_id: card.id,
    amount,
    currency: 'EUR',
    merchant_name: 'Bistro',
  })
}

/** Authorised and cleared for the same; answers the entry. */
export async function spend(house: TestHouse, card: { id: string }, amount: number) {
  const { authorization_id } = await authorize(house, card, amount)
  return house.client.clearSandboxAuthorization({ authorization_id })
}

export async function balanceOf({ client }: TestHouse, card: { id: string }) {
  return (await client.getCard({ card_id: card.id })).balance
}
