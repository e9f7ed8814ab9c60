/** Types of `install.mjs`, which runs unbuilt on any Node >= 20. */
export function installIfNeeded(root: string): Promise<void>
/** Whether a process with that id is running, under any user. */
export function isAlive(pid: number): boolean
