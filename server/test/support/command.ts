/** Runs CLI commands inside the test process. */
import { vi } from 'vitest'
import type { Banks } from '../../src/config.ts'
import { runCommand } from '../../src/entrypoints/commands/index.ts'
import type { Done, Environment } from './service.ts'

/**
 * Runs a command; returns its exit code and output. Saves the second that `headroom` in service.ts
 * takes to start a process. Tests of stdin, signals and exit need a real process.
 */
export async function command(args: string[], env: Environment = {}, banks?: Banks): Promise<Done> {
  const output = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map(stream =>
    vi.spyOn(process[stream], 'write').mockImplementation(text => {
      output[stream] += text
      return true
    }),
  )
  try {
    return { code: await runCommand(args, { HEADROOM_LOG: 'error', ...env }, banks), ...output }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
