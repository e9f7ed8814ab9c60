/** Types of `install.mjs`, which must run on any Node >= 20, before anything is installed. */
export function installIfNeeded(root: string): Promise<void>
/** Whether a process with that id is running, under any user. */
export function isAlive(pid: number): boolean
