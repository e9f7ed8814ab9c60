/** Types of `install.mjs`, which any Node from 20 on runs as it is. */
export function installIfNeeded(root: string): Promise<void>
/** Whether a process of that number runs, whoever it belongs to. */
export function isAlive(pid: number): boolean
