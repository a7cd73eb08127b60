// `npm run check -- seed photos --user <name> --count 100000`: fills the gallery of a user of the running local system
// with realistic photos; `--remove` removes them again.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openPool } from '@skyfolio/kit'
import { root } from './paths.ts'
import { readRuntime } from './runtime-file.ts'

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

async function findUser(databaseUrl: string, username: string): Promise<number | undefined> {
  const pool = openPool(databaseUrl, { max: 1 })
  try {
    const { rows } = await pool.query('SELECT id FROM users WHERE lower(username) = lower($1)', [username])
    return rows[0]?.id
  } finally {
    await pool.end()
  }
}

const { values: flags } = parseArgs({
  options: {
    user: { type: 'string' },
    count: { type: 'string', default: '100000' },
    remove: { type: 'boolean', default: false },
  },
})
if (!flags.user) fail('Usage: npm run check -- seed photos --user <name> [--count 100000] [--remove]')
const runtime = await readRuntime()
if (!runtime?.env.auth) {
  fail(
    'The system must run as private processes, not in containers. Start one with `SKYFOLIO_RUNTIME=native npm start`.',
  )
}
const userId = await findUser(runtime.env.auth.DATABASE_URL ?? '', flags.user)
if (userId === undefined) fail(`There is no user called ${flags.user}.`)

const args = ['--user-id', String(userId), '--count', flags.count, ...(flags.remove ? ['--remove'] : [])]
const child = spawn(process.execPath, [join(root, 'services/media/scripts/generate-photos.ts'), ...args], {
  cwd: root,
  env: { ...process.env, ...runtime.env.media },
  stdio: 'inherit',
})
child.once('exit', (code) => {
  process.exitCode = code ?? 1
})
