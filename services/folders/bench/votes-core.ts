// Durable votes per second inside the service, without HTTP. Arguments: database URL, seconds. Prints one number.
import { randomUUID } from 'node:crypto'
import { createLogger, openPool } from '@skyfolio/kit'
import { createVoteCaster } from '../src/voting/cast-vote.ts'
import { CONNECTIONS, FOLDERS } from './system.ts'

const [databaseUrl = '', seconds = '10'] = process.argv.slice(2)
const random = (below: number) => Math.floor(Math.random() * below)
const pool = openPool(databaseUrl)
const voteCaster = createVoteCaster({ pool, logger: createLogger('bench', 'warn'), onChange() {} })
const voters = Array.from({ length: 20_000 }, () => randomUUID())
const ends = Date.now() + Number(seconds) * 1000
let votes = 0

async function voteUntilEnd(): Promise<void> {
  while (Date.now() < ends) {
    const voter = voters[random(voters.length)] ?? ''
    const rank = (1 + random(3)) as 1 | 2 | 3
    const photoId = 1 + random(FOLDERS.small.photos)
    await voteCaster.cast({
      folderId: FOLDERS.small.id,
      photoId,
      rank,
      swaps: false,
      voter,
      address: voter,
      site: null,
      token: voter,
      invitation: null,
      ofUser: false,
      pageUnseen: false,
      userId: null,
      link: { shareCode: '', revisions: [], unlocked: [] },
    })
    votes += 1
  }
}

await Promise.all(Array.from({ length: CONNECTIONS }, voteUntilEnd))
await pool.end()
process.stdout.write(`${votes / Number(seconds)}\n`)
