// `npm run check -- load:visits`: k6 plays whole visits to a share of a system that it starts, or of the one at BASE_URL: the
// page, the share, its pictures as a phone chooses them, three votes, and a return. `--rate 5 --seconds 20` begins visits at
// a rate; `--people 300` lets so many visitors arrive within ten seconds, with `--address one` all from one address.
// Afterwards the votes are checked as by load:votes. Exits with code 1 when a request was refused, an unchanged picture was
// sent again, or a vote is lost. `--caches` plays no visits, but sends pictures through nginx and Varnish: see ../shared-cache.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { runSharedCaches } from '../shared-cache/run.ts'
import { readVotes, verifyVotes } from './check-votes.ts'
import { createPhotos } from './large-photos.ts'
import { countOf, describeTimes, type LoadTarget, loadWithK6, runLoad } from './run-k6.ts'
import { seedFolders } from './seed-folders.ts'

const { values: flags } = parseArgs({
  options: {
    rate: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '20' },
    people: { type: 'string' },
    // `each`: every visitor has an address of its own, as if through a proxy.
    address: { type: 'string', default: 'each' },
    // Seconds until visitors return.
    return: { type: 'string', default: '15' },
    photos: { type: 'string', default: '30' },
    // Photos of 480 pixels, which are rendered at once.
    small: { type: 'boolean', default: false },
    compare: { type: 'string', default: '2000' },
    caches: { type: 'boolean', default: false },
  },
})
const ARRIVE_SECONDS = 10

async function load(target: LoadTarget): Promise<Record<string, boolean>> {
  const account = { username: `visits-${randomBytes(4).toString('hex')}`, password: randomBytes(12).toString('hex') }
  const photos = Number(flags.photos)
  const files = flags.small ? undefined : createPhotos(photos)
  const seeded = await seedFolders(target.baseUrl, account, { folders: 1, photos, areRendered: true }, files)
  const duration = (flags.people ? ARRIVE_SECONDS : Number(flags.seconds)) + Number(flags.return)
  const { lines, metrics, thresholds } = await loadWithK6(target, 'deploy/checks/load/k6-visit.ts', duration, {
    CODE: seeded.folders[0]?.code ?? '',
    RATE: flags.rate,
    SECONDS: flags.seconds,
    ...(flags.people && { PEOPLE: flags.people }),
    ARRIVE: String(ARRIVE_SECONDS),
    RETURN: flags.return,
    ADDRESS: flags.address,
    RUN: `visit-${randomBytes(4).toString('hex')}`,
  })
  const count = (name: string) => countOf(metrics, `visits_${name}`)
  console.log(`${count('completed')} visits, ${count('pictures')} pictures of them and of their returns`)
  console.log(`pictures of the first screen: ${describeTimes(metrics, 'visits_first_screen')}`)
  console.log(`all pictures: ${describeTimes(metrics, 'visits_all_pictures')}`)
  return { ...thresholds, ...(await verifyVotes(target, seeded, readVotes(lines), Number(flags.compare))) }
}

if (flags.caches) await runSharedCaches()
else await runLoad('load-visits', flags.address === 'each' ? { TRUSTED_PROXIES: '127.0.0.1' } : {}, load)
