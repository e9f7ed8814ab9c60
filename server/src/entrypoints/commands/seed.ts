/** seed: creates demo partners in an empty sandbox. */
import type { Config } from '../../config.ts'
import { seedSandbox } from '../../seed.ts'
import { withApp } from './with-app.ts'

export async function seedCommand(config: Config): Promise<number> {
  if (config.mode !== 'sandbox') throw new Error('only a sandbox is seeded')
  const path = await withApp(config, seedSandbox)
  process.stdout.write(path ? `credentials: ${path}\n` : 'nothing to do: there are partners\n')
  return 0
}
