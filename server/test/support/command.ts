/** Runs a CLI command inside the test process; returns its exit code and output. */
import { vi } from 'vitest'
import { runCommand } from '../../src/entrypoints/commands/index.ts'
import type { Done, Environment } from './service.ts'

/**
 * Like `headroom` of service.ts, but without the second a process takes to start. Tests of stdin,
 * signals and exit use real processes.
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
