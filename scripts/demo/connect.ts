/** Finds the running sandbox for the demo. */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Client, createClient, HeadroomProblem } from '@headroom/sdk'

/** Thrown if there is no sandbox to connect to; the message says what to do. */
export class NoSandbox extends Error {
  override name = 'NoSandbox'
}

export interface Sandbox {
  readonly client: Client
  /** The same partner's agent, whose writes need approval. */
  readonly agent: Client
  readonly base_url: string
}

type Credentials = Record<'base_url' | 'partner_key' | 'agent_key', string>

const START = 'Start one with `npm start` in another terminal, then run `npm run demo` again.'

/** Connects with the data folder's credentials. Throws `NoSandbox` if none are found or work. */
export async function connectToSandbox(): Promise<Sandbox> {
  const file = join(resolve(process.env.HEADROOM_DATA ?? '.headroom'), 'sandbox-credentials.json')
  const text = await readFile(file, 'utf8').catch(() => {
    throw new NoSandbox(
      `There is no ${file}: no sandbox has run on this data folder yet.\n${START}\n` +
        'If one runs on another folder, name it in HEADROOM_DATA.',
    )
  })
  const { base_url, partner_key, agent_key } = JSON.parse(text) as Credentials
  const client = createClient({ base_url, key: partner_key })
  const agent = createClient({ base_url, key: agent_key })
  try {
    await client.getSandboxClock()
  } catch (error) {
    throw new NoSandbox(explain(error as Error, base_url, file))
  }
  return { client, agent, base_url }
}

function explain(error: Error, base_url: string, file: string): string {
  if (!(error instanceof HeadroomProblem)) return `Nothing answers at ${base_url}.\n${START}`
  if (error.status === 401) {
    return `The key in ${file} is not known at ${base_url}: another database runs there.`
  }
  return `The sandbox at ${base_url} answers: ${error.message}`
}
