import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CONNECTIONS, FOLDERS } from './system.ts'

const run = promisify(execFile)

// The same upsert for one vote per transaction, without checks and tallies.
const SCRIPT = `
\\set voter random(1, 20000)
\\set photo random(1, ${FOLDERS.small.photos})
\\set rank random(1, 3)
INSERT INTO ballots AS old (folder_id, voter, first, second, third, last_photo_id, last_rank, address, token)
VALUES (${FOLDERS.small.id}, md5(:voter::text)::uuid,
  CASE WHEN :rank = 1 THEN :photo::integer END, CASE WHEN :rank = 2 THEN :photo::integer END,
  CASE WHEN :rank = 3 THEN :photo::integer END, :photo, :rank, md5('address')::uuid, md5('token')::uuid)
ON CONFLICT (folder_id, voter) DO UPDATE SET
  first = CASE WHEN excluded.last_rank = 1 THEN excluded.last_photo_id WHEN old.first <> excluded.last_photo_id THEN old.first END,
  second = CASE WHEN excluded.last_rank = 2 THEN excluded.last_photo_id WHEN old.second <> excluded.last_photo_id THEN old.second END,
  third = CASE WHEN excluded.last_rank = 3 THEN excluded.last_photo_id WHEN old.third <> excluded.last_photo_id THEN old.third END,
  was_first = old.first, was_second = old.second, was_third = old.third,
  last_photo_id = excluded.last_photo_id, last_rank = excluded.last_rank, updated_at = now();
`

/** Path of the program, from PATH or Debian's directory; null if it is not installed. */
export async function findPgbench(): Promise<string | null> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => [])
  const debian = versions.sort((a, b) => Number(b) - Number(a)).map((version) => `/usr/lib/postgresql/${version}/bin`)
  for (const folder of [...(process.env.PATH ?? '').split(':'), ...debian]) {
    const path = join(folder, 'pgbench')
    if (await run(path, ['--version']).catch(() => null)) return path
  }
  return null
}

/** Transactions per second that pgbench commits. */
export async function pgbench(program: string, databaseUrl: string, folder: string, seconds: number): Promise<number> {
  const script = join(folder, 'vote.sql')
  await writeFile(script, SCRIPT)
  const args = ['-n', '-M', 'prepared', '-c', String(CONNECTIONS), '-j', '2', '-T', String(seconds), '-f', script]
  const { stdout } = await run(program, [...args, databaseUrl])
  const tps = /tps = ([\d.]+) \(without initial connection time\)/.exec(stdout)?.[1]
  if (!tps) throw new Error(`unexpected output of pgbench: ${stdout}`)
  return Number(tps)
}
