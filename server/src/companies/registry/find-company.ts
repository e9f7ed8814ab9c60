/** Finds companies for requests, without waiting for a registry outside. */
import type { Context } from '../../context.ts'
import type { Company, CompanyNumber } from '../../integrations/ports/registry.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import { readAnswers, type StoredAnswer } from './queries.ts'
import { claimLookUps } from './store.ts'

/** `unavailable` until the registry or two operators have answered. */
export type FoundCompany =
  | { readonly result: 'found'; readonly company: Company }
  | { readonly result: 'unknown' }
  | { readonly result: 'unavailable' }

export async function findCompany(context: Context, number: CompanyNumber): Promise<FoundCompany> {
  return (await findCompanies(context, [number])).get(number.company_key)!
}

/**
 * What is known about each company, by its key. An answer that is no longer fresh still serves
 * while it is usable. Starts the look-ups of all others.
 */
export async function findCompanies(
  context: Context,
  numbers: readonly CompanyNumber[],
): Promise<Map<string, FoundCompany>> {
  const { registry } = context.ports
  if (!registry.answers_at_once) return findStored(context, numbers)
  // The registry answers concurrent questions with one query.
  const found = await Promise.all(
    numbers.map(async (number): Promise<[string, FoundCompany]> => {
      const company = await registry.find(number)
      return [number.company_key, company ? { result: 'found', company } : { result: 'unknown' }]
    }),
  )
  return new Map(found)
}

async function findStored(
  { database }: Context,
  numbers: readonly CompanyNumber[],
): Promise<Map<string, FoundCompany>> {
  if (numbers.length === 0) return new Map()
  const keys = numbers.map(number => number.company_key)
  const { answers, today } = await transaction(
    database,
    { partners: '*', read_only: true },
    async tx => ({ answers: await readAnswers(tx, keys), today: tx.today }),
  )
  const isFresh = ({ company_key }: CompanyNumber) =>
    (answers.get(company_key)?.fresh_until ?? '') >= today
  const outdated = numbers.filter(number => !isFresh(number))
  if (outdated.length > 0) await startLookUps(database, outdated)
  return new Map(keys.map(key => [key, foundIn(answers.get(key), today)]))
}

function foundIn(answer: StoredAnswer | undefined, today: string): FoundCompany {
  if ((answer?.usable_until ?? '') < today) return { result: 'unavailable' }
  const { company } = answer!
  return company ? { result: 'found', company } : { result: 'unknown' }
}

/** Enqueues the look-ups that no other request has started lately. */
function startLookUps(
  database: Context['database'],
  numbers: readonly CompanyNumber[],
): Promise<void> {
  return transaction(database, { partners: '*', actor: 'service' }, async tx => {
    for (const company_key of await claimLookUps(tx, numbers)) {
      enqueue(tx, 'look_up_company', { company_key })
    }
  })
}
