/** How many files and connections the process may have open. */

interface Report {
  /** Without it, the report looks up the names of the machine's addresses. */
  excludeNetwork: boolean
  getReport(): { userLimits?: { open_files?: { soft: unknown } } }
}

/** The soft limit (`ulimit -n`); infinite if the system reports none. */
export function descriptorsMax(): number {
  const report = process.report as unknown as Report
  const before = report.excludeNetwork
  report.excludeNetwork = true
  const { userLimits } = report.getReport()
  report.excludeNetwork = before
  const soft = Number(userLimits?.open_files?.soft)
  return soft > 0 ? soft : Number.POSITIVE_INFINITY
}
