/** The command line: headroom <command>. Each command is a file in commands/. */
import { runCommand } from './entrypoints/commands/index.ts'

process.exit(await runCommand(process.argv.slice(2), process.env))
