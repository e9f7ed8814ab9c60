/** Reads the problems of calls that are expected to be refused. */
import type { HeadroomProblem } from '@headroom/sdk'

/** Returns the problem of a refused call; throws if the call succeeds. */
export async function refusal(call: Promise<unknown>): Promise<HeadroomProblem> {
  return call.then(
    () => {
      throw new Error('it was not refused')
    },
    problem => problem,
  )
}

/** Returns the reason for each invalid field of a refused request; throws any other problem. */
export async function faultsOf(call: Promise<unknown>): Promise<Record<string, string>> {
  const problem = await refusal(call)
  if (problem.code !== 'request_invalid') throw problem
  return Object.fromEntries(problem.invalid_params.map(param => [param.name, param.reason]))
}
