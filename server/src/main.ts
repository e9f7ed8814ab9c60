/** The command line, `headroom <command>`. The commands are in `entrypoints/commands/`. */
import { runCommand } from './entrypoints/commands/index.ts'

process.exit(await runCommand(process.argv.slice(2), process.env))
