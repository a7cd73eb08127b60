import { createLifetime, createLogger, loadConfig, openNats, openPool, openRedis } from '@skyfolio/kit'
import { grantAdmin } from '../accounts/grant-admin.ts'
import { setQuota } from '../accounts/set-quota.ts'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { createSessions } from '../sessions/sessions.ts'

const MEGABYTE = 1_048_576
const USAGE = `Usage: npm run admin -- grant <username>
       npm run admin -- quota <username> <megabytes|none>
`

/** Changes a user; returns what happened, or null when there is no such user. */
type Command = () => Promise<string | null>

/** Returns null for wrong arguments. */
function readCommand([name, username, megabytes, ...rest]: string[]): Command | null {
  if (!username || rest.length > 0) return null
  if (name === 'grant' && megabytes === undefined) return () => grant(username)
  if (name === 'quota' && /^(\d{1,9}|none)$/.test(megabytes ?? '')) return () => limit(username, megabytes as string)
  return null
}

async function grant(username: string): Promise<string | null> {
  const nats = await openNats(life, config, 'auth-admin')
  const granted = await grantAdmin(db, createSessions(redis, nats), username)
  return granted && `${granted.username} is now an administrator. Running sessions updated: ${granted.sessions}.`
}

/** The event waits in the outbox for a process of auth. */
async function limit(username: string, megabytes: string): Promise<string | null> {
  const quota = megabytes === 'none' ? null : BigInt(megabytes) * BigInt(MEGABYTE)
  const changed = await setQuota(db, username, quota)
  if (changed === null) return null
  return quota === null
    ? `${changed} has no quota of its own any more; the default of the installation holds.`
    : `The photos of ${changed} may now take ${megabytes} MB.`
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
  const done = await command()
  process.stdout.write(`${done ?? `There is no user named ${process.argv[3]}.`}\n`)
  process.exitCode = done === null ? 1 : 0
} finally {
  await life.close()
  clearTimeout(timer)
}
