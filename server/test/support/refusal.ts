/** Calls that are expected to be refused. */
import type { HeadroomProblem } from '@headroom/sdk'

/** The problem with which a call is refused; throws if it succeeds. */
export async function refusal(call: Promise<unknown>): Promise<HeadroomProblem> {
  return call.then(
    () => {
      throw new Error('it was not refused')
    },
    problem => problem,
  )
}

/** The faults of a refused request, by field name. */
export async function faultsOf(call: Promise<unknown>): Promise<Record<string, string>> {
  const problem = await refusal(call)
  if (problem.code !== 'request_invalid') throw problem
  return Object.fromEntries(problem.invalid_params.map(param => [param.name, param.reason]))
}
