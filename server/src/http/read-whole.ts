/** Reads a request by its schema and, where that refuses it, by what its room knows beside it. */
import type { Caller } from '../access/index.ts'
import type { Inspect } from '../context.ts'
import { invalid, ProblemError } from '../kit/problem.ts'
import type { Route } from './carry-out.ts'
import { type Input, type RawInput, readInput } from './input.ts'

/** Throws `request_invalid` with every fault that the schema and the room see. */
export async function readWhole(
  { context, operation, handler }: Route,
  caller: Caller,
  raw: RawInput,
): Promise<Input> {
  try {
    return readInput(operation, caller.version, raw)
  } catch (error) {
    const { inspect } = (handler ?? {}) as { inspect?: Inspect }
    const { body } = raw
    const told = error instanceof ProblemError && error.code === 'request_invalid'
    if (!told || !inspect || typeof body !== 'object' || body === null) throw error
    const faults = error.extras.invalid_params ?? []
    const more = await inspect(context, caller, body as Record<string, unknown>)
    const isNew = (name: string) =>
      !faults.some(f => name === f.name || name.startsWith(`${f.name}.`))
    throw invalid(...faults, ...more.filter(fault => isNew(fault.name)))
  }
}
