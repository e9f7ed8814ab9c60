/** Creates borrowers that are ready to draw, through the public API. */
import type { Client } from '@headroom/sdk'
import { businessOf } from '../server/src/sandbox/generators.ts'
import type { Company } from './load.ts'

const AT_ONCE = 16

/** Creates `count` borrowers with a credit line and a direct debit; returns their companies. */
export async function createBorrowers(client: Client, count: number): Promise<Company[]> {
  const companies: Company[] = []
  let next = 0
  const work = async () => {
    while (next < count) companies.push(await createBorrower(client, next++))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return companies
}

async function createBorrower(client: Client, seed: number): Promise<Company> {
  const { identifier, account_number, ...rest } = businessOf('FRA', seed, seed)
  const created = await client.createBorrower({ identifier, account_number, ...rest })
  const signed_at = new Date().toISOString()
  const signed = await client.signBorrower({ borrower_id: created.id!, signed_at })
  if (signed.status !== 'READY') {
    const now = await client.getBorrower({ borrower_id: created.id! })
    if (now.status !== 'READY') throw new Error(`borrower ${identifier} is ${now.status}`)
  }
  return { id: created.id!, identifier, account_number }
}
