/** A command of the command line, run in the process of the test: its code and what it said. */
import { vi } from 'vitest'
import { runCommand } from '../../src/doors/commands/index.ts'
import type { Done, Environment } from './service.ts'

/**
 * What `headroom` of service.ts does, without a second for a process to start. For what a command
 * does and says; how it reads stdin, takes signals and ends is tried with real ones.
 */
export async function command(args: string[], env: Environment = {}): Promise<Done> {
  const said = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map(stream =>
    vi.spyOn(process[stream], 'write').mockImplementation(text => {
      said[stream] += text
      return true
    }),
  )
  try {
    return { code: await runCommand(args, { HEADROOM_LOG: 'error', ...env }), ...said }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
