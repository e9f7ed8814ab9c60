/** The adapter of any bank that takes and sends ISO 20022 files by a folder or SFTP. */
import { z } from 'zod'
import { assert } from '../../../platform/kit/assert.ts'
import { BANK_PROFILES, type BankProfile } from '../../bank-files/writing/bank-profile.ts'
import { type BankAdapter, bankAdapter } from '../../ports/bank-adapter.ts'
import { folderExchange } from './transport/folder.ts'
import type { SftpSettings } from './transport/sftp.ts'
import type { FileExchange } from './transport/transport.ts'
import { readRange, virtualIbans } from './virtual-ibans.ts'

const time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'write a time like 15:30')
  .default('15:00')
const text = z.string().optional()
const PROFILE_NAMES = Object.keys(BANK_PROFILES)

const settings = z
  .object({
    FILE_BANK_PROFILE: z
      .enum(PROFILE_NAMES, `write one of: ${PROFILE_NAMES.join(', ')}`)
      .default('generic'),
    FILE_BANK_VIRTUAL_IBANS: z
      .string()
      .superRefine((range, context) => {
        const read = readRange(range)
        if (typeof read === 'string') context.addIssue({ code: 'custom', message: read })
      })
      .optional(),
    FILE_BANK_TRANSPORT: z.enum(['folder', 'sftp'], 'write folder or sftp').default('folder'),
    FILE_BANK_OUTGOING: z.string(),
    FILE_BANK_INCOMING: z.string(),
    FILE_BANK_ARCHIVE: z.string(),
    FILE_BANK_TRANSFER_CUT_OFF: time,
    FILE_BANK_DEBIT_CUT_OFF: time,
    FILE_BANK_SFTP_HOST: text,
    FILE_BANK_SFTP_PORT: z.coerce
      .number('write a port from 1 to 65535')
      .int('write a port from 1 to 65535')
      .min(1, 'write a port from 1 to 65535')
      .max(65_535, 'write a port from 1 to 65535')
      .default(22),
    FILE_BANK_SFTP_USER: text,
    FILE_BANK_SFTP_HOST_KEY: z
      .string()
      .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'write it as ssh-keygen -lf prints it: SHA256:…')
      .optional(),
    FILE_BANK_SFTP_PASSWORD: text,
    FILE_BANK_SFTP_PRIVATE_KEY: text,
    FILE_BANK_SFTP_PASSPHRASE: text,
  })
  .superRefine((given, context) => {
    if (given.FILE_BANK_TRANSPORT !== 'sftp') return
    const fault = (setting: keyof typeof given, message: string) =>
      context.addIssue({ code: 'custom', path: [setting], message })
    for (const name of SFTP_NEEDED) if (!given[name]) fault(name, 'is needed')
    const secrets = LOGIN_SECRETS.filter(name => given[name])
    if (secrets.length === 0) fault('FILE_BANK_SFTP_PASSWORD', 'is needed')
    for (const name of secrets.slice(1)) fault(name, `leave it out, or ${secrets[0]}`)
  })

type FileBankSettings = z.output<typeof settings>

const SFTP_NEEDED = [
  'FILE_BANK_SFTP_HOST',
  'FILE_BANK_SFTP_USER',
  'FILE_BANK_SFTP_HOST_KEY',
] as const
/** One of these is the login's secret. */
const LOGIN_SECRETS = ['FILE_BANK_SFTP_PASSWORD', 'FILE_BANK_SFTP_PRIVATE_KEY'] as const

export const files: BankAdapter = fileBankAdapter(BANK_PROFILES)

/** The adapter with these profiles to choose from. Tests give their own. */
export function fileBankAdapter(profiles: Readonly<Record<string, BankProfile>>): BankAdapter {
  return bankAdapter({
    name: 'files',
    live: true,
    settings,
    secrets: [...LOGIN_SECRETS, 'FILE_BANK_SFTP_PASSPHRASE'],
    open: async (given, { database, inbox, heldOrders, isOurIban }) => {
      // Other deployments do not read and write files, and need no memory for it.
      const { fileBank } = await import('./bank.ts')
      const { orderFileWriter } = await import('./order-file.ts')
      const cutOffs = {
        transfer: given.FILE_BANK_TRANSFER_CUT_OFF,
        debit: given.FILE_BANK_DEBIT_CUT_OFF,
      }
      const writer = orderFileWriter(profiles[given.FILE_BANK_PROFILE]!)
      const files = await exchangeOf(given)
      const range = given.FILE_BANK_VIRTUAL_IBANS ? readRange(given.FILE_BANK_VIRTUAL_IBANS) : null
      assert(typeof range !== 'string', 'settings are checked before the bank is opened')
      const parts = { database, inbox, heldOrders, isOurIban, writer, cutOffs, files }
      return fileBank(parts, virtualIbans(range))
    },
  })
}

/** Imports the SFTP library on demand: folders do not need it. */
async function exchangeOf(given: FileBankSettings): Promise<FileExchange> {
  const folders = {
    outgoing: given.FILE_BANK_OUTGOING,
    incoming: given.FILE_BANK_INCOMING,
    archive: given.FILE_BANK_ARCHIVE,
  }
  if (given.FILE_BANK_TRANSPORT === 'folder') return folderExchange(folders)
  const { sftpExchange } = await import('./transport/sftp.ts')
  return sftpExchange({
    outgoing: folders.outgoing,
    incoming: folders.incoming,
    archive: folders.archive,
    host: given.FILE_BANK_SFTP_HOST!,
    port: given.FILE_BANK_SFTP_PORT,
    user: given.FILE_BANK_SFTP_USER!,
    host_key: given.FILE_BANK_SFTP_HOST_KEY!,
    login: loginOf(given),
  })
}

function loginOf(given: FileBankSettings): SftpSettings['login'] {
  const password = given.FILE_BANK_SFTP_PASSWORD
  if (password !== undefined) return { password }
  const private_key = `${given.FILE_BANK_SFTP_PRIVATE_KEY}\n`
  return { private_key, passphrase: given.FILE_BANK_SFTP_PASSPHRASE }
}
