import { createLifetime, createLogger, loadConfig, openNats, openPool, openRedis } from '@skyfolio/kit'
import { grantAdmin } from '../accounts/grant-admin.ts'
import { serverSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { createSessions } from '../sessions/sessions.ts'

const [command, username, ...rest] = process.argv.slice(2)
if (command !== 'grant' || !username || rest.length > 0) {
  process.stderr.write('Usage: npm run admin -- grant <username>\n')
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
const redis = openRedis(config.redisUrl, 'auth-admin')
life.defer('redis', () => redis.disconnect())
const nats = await openNats(life, config, 'auth-admin')
try {
  const granted = await grantAdmin(openDatabase(pool), createSessions(redis, nats), username)
  const message = granted
    ? `${granted.username} is now an administrator. Running sessions updated: ${granted.sessions}.\n`
    : `There is no user named ${username}.\n`
  process.stdout.write(message)
  process.exitCode = granted ? 0 : 1
} finally {
  await life.close()
  clearTimeout(timer)
}
