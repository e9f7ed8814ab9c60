/**
 * Clients of a service that may crash at any moment, and a journal of what it acknowledged.
 * Unanswered writes, except transfers, are sent again once the service is back.
 */
import { type Client, createClient, HeadroomProblem } from '@headroom/sdk'
import { addDays, day } from '../../server/src/platform/kit/dates.ts'
import type { Random } from '../random.ts'

export interface Borrower {
  readonly id: string
  readonly identifier: string
  readonly account_number: string
}

export interface Journal {
  readonly borrowers: Borrower[]
  readonly signed: string[]
  readonly loans: { id: string; salt_id: string; amount: number }[]
  /** Client references of loans that the service refused, which must not exist. */
  readonly refused_salts: string[]
  readonly transfers: string[]
  /** Transfers with a lost response; a repeat would be a second transfer. */
  unknown_transfers: number
  /** The latest time of the sandbox clock that the service acknowledged. */
  now: string
}

export function newJournal(): Journal {
  return {
    borrowers: [],
    signed: [],
    loans: [],
    refused_salts: [],
    transfers: [],
    unknown_transfers: 0,
    now: '',
  }
}

/** One write. It is called again if its response was lost. */
type Write = (client: Client) => Promise<void>

export interface Clients {
  /** Writes until `stop` is called or many writes fail. Any failure counts as a lost response. */
  run(): { stop(): Promise<void> }
  /** Calls unanswered writes again, each with several attempts. */
  settle(): Promise<void>
}

const WRITERS = 4

export function clientsOf(
  service: { base_url: string; key: string },
  random: Random,
  journal: Journal,
): Clients {
  // While the service is down, retries by the SDK would only waste time.
  const hasty = createClient({ ...service, attempts_max: 1 })
  const patient = createClient({ ...service, attempts_max: 8 })
  const unanswered: Write[] = []

  async function writeUntil(
    stopped: () => boolean,
    choose: () => Write,
    lost_max = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    for (let lost = 0; !stopped() && lost <= lost_max; ) {
      const write = choose()
      await write(hasty).catch(error => {
        lost += 1
        unanswered.push(write)
        // The service responded with a problem; give it time to become ready again.
        if (error instanceof HeadroomProblem) return new Promise(r => setTimeout(r, 50))
      })
      if (unanswered.length > WRITERS * 4) return
    }
  }

  return {
    run() {
      let stopping = false
      const stopped = () => stopping
      const writers = Array.from({ length: WRITERS }, () =>
        writeUntil(stopped, () => chooseWrite(random, journal)),
      )
      // Advances the clock until the first lost response, because each lost advance is repeated and
      // may then add days.
      const clock = writeUntil(stopped, () => advance(random.int(1, 2), journal), 0)
      return {
        stop: async () => {
          stopping = true
          await Promise.all([...writers, clock])
        },
      }
    },
    async settle() {
      await Promise.all(unanswered.splice(0).map(write => write(patient)))
    },
  }
}

function chooseWrite(random: Random, journal: Journal): Write {
  const dice = random.next()
  if (journal.borrowers.length < 2 || dice < 0.12) return createBorrower(journal)
  const known = journal.signed.length > 0 && journal.loans.length > 0
  if (known && dice < 0.35) return transfer(random, journal)
  return requestLoan(random, journal)
}

function createBorrower(journal: Journal): Write {
  const keys = [crypto.randomUUID(), crypto.randomUUID()] as const
  const signed_at = new Date().toISOString()
  let generated: Awaited<ReturnType<Client['generateSandboxBusiness']>> | undefined
  let id: string | undefined
  return async client => {
    generated ??= await client.generateSandboxBusiness({ is_borrower: true })
    if (!id) {
      const created = await client.createBorrower(generated, { idempotency_key: keys[0] })
      id = created.id!
      const { identifier, account_number } = generated
      journal.borrowers.push({ id, identifier, account_number: account_number! })
    }
    await client.signBorrower({ borrower_id: id, signed_at }, { idempotency_key: keys[1] })
    journal.signed.push(id)
  }
}

function requestLoan(random: Random, journal: Journal): Write {
  const salt_id = crypto.randomUUID()
  const { identifier, account_number } = random.pick(journal.borrowers)
  const amount = random.int(1_00, 2_000_00)
  const [wait, days] = [random.int(0, 2), random.int(2, 20)]
  const wait_for_validation = random.next() < 0.5
  const key = crypto.randomUUID()
  let body: Parameters<Client['createLoan']>[0] | undefined
  return async client => {
    const today = day((await client.getSandboxClock()).business_date.slice(0, 10))
    body ??= {
      loan_type: 'WALLET_FINANCING',
      amount,
      borrower: { identifier },
      loan_to: { account_number },
      to_pay_at: addDays(today, wait),
      to_repay_at: addDays(today, wait + days),
      auto_validate: true,
      wait_for_validation,
      salt_id,
    }
    try {
      const { id } = await client.createLoan(body, { idempotency_key: key })
      journal.loans.push({ id, salt_id, amount })
    } catch (error) {
      // Refused, for example because the clock has passed the payout date.
      if (!(error instanceof HeadroomProblem) || error.status !== 422) throw error
      journal.refused_salts.push(salt_id)
    }
  }
}

/** Pays part of a loan, or more than it owes. */
function transfer(random: Random, journal: Journal): Write {
  const { id, amount } = random.pick(journal.loans)
  const part = Math.max(1, Math.round(amount * 1.2 * random.next()))
  let sent = false
  return async client => {
    // A repeat would be a second transfer.
    if (sent) return
    const loan = await client.getLoan({ loan_id: id })
    sent = true
    journal.unknown_transfers++
    const received = await client.createSandboxIncomingTransfer({
      to_iban: loan.repayment_to.account_number,
      amount: part,
      reference: loan.repayment_to_references[0],
    })
    journal.unknown_transfers--
    journal.transfers.push(received.id)
  }
}

function advance(days: number, journal: Journal): Write {
  return async client => {
    const { now } = await client.advanceSandboxClock({ days })
    if (now > journal.now) journal.now = now
  }
}
