import { AppError, createLifetime, createLogger, loadConfig, openNats, openPool, openRedis } from '@skyfolio/kit'
import type { UserChanges } from '../accounts/forms.ts'
import { changeAsOperator } from '../administration/change-users.ts'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { createSessions } from '../sessions/sessions.ts'

const MEGABYTE = 1_048_576n
const USAGE = `Usage: npm run admin -- grant <username>
       npm run admin -- revoke <username>
       npm run admin -- disable <username>
       npm run admin -- enable <username>
       npm run admin -- quota <username> <megabytes|none>
`

interface Command {
  changes: Pick<UserChanges, 'isAdmin' | 'disabled' | 'quota'>
  /** What is said when it is done. */
  describe(username: string, sessions: number): string
}

const COMMANDS: Record<string, Command> = {
  grant: {
    changes: { isAdmin: true },
    describe: (name, sessions) => `${name} is now an administrator. Running sessions updated: ${sessions}.`,
  },
  revoke: { changes: { isAdmin: false }, describe: (name) => `${name} is no administrator any more.` },
  disable: { changes: { disabled: true }, describe: (name) => `${name} is disabled and logged out.` },
  enable: { changes: { disabled: false }, describe: (name) => `${name} is enabled and can log in.` },
}

/** Returns null for wrong arguments. */
function readCommand([name = '', username, megabytes, ...rest]: string[]): Command | null {
  if (!username || rest.length > 0) return null
  if (name === 'quota') return /^(\d{1,9}|none)$/.test(megabytes ?? '') ? quotaCommand(megabytes as string) : null
  return megabytes === undefined && Object.hasOwn(COMMANDS, name) ? (COMMANDS[name] ?? null) : null
}

function quotaCommand(megabytes: string): Command {
  const isDefault = megabytes === 'none'
  return {
    changes: { quota: isDefault ? null : BigInt(megabytes) * MEGABYTE },
    describe: (name) =>
      isDefault
        ? `${name} has no quota of its own any more; the default of the installation holds.`
        : `The photos of ${name} may now take ${megabytes} MB.`,
  }
}

/** Events wait in the outbox for a process of auth. Returns what happened, or why it did not. */
async function run({ changes, describe }: Command, username: string): Promise<{ done: boolean; message: string }> {
  const sessions = createSessions(redis, await openNats(life, config, 'auth-admin'))
  try {
    const changed = await changeAsOperator({ db, sessions, logger: life.logger }, username, changes)
    if (!changed) return { done: false, message: `There is no user named ${username}.` }
    return { done: true, message: describe(changed.username, changed.sessions) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { done: false, message: error.message }
  }
}

const command = readCommand(process.argv.slice(2))
if (!command) {
  process.stderr.write(USAGE)
  process.exit(2)
}

const timer = setTimeout(() => {
  process.stderr.write('The servers of Skyfolio do not respond. Is it running?\n')
  process.exit(1)
}, 15_000)

const config = loadConfig(serverSettings, process.env)
const life = createLifetime(createLogger('auth-admin', 'silent'))
const pool = openPool(config.databaseUrl, { max: 1 })
life.defer('database', () => pool.end())
const db = openDatabase(pool)
const redis = openRedis(config.redisUrl, 'auth-admin')
life.defer('redis', () => redis.disconnect())
try {
  const { done, message } = await run(command, process.argv[3] ?? '')
  process.stdout.write(`${message}\n`)
  process.exitCode = done ? 0 : 1
} finally {
  await life.close()
  clearTimeout(timer)
}
