import type { RuntimeState } from '../../local/runtime-file.ts'
import { query } from './query.ts'

type Environment = RuntimeState['env']

interface State {
  id: number
  revision: number
  state: string | null
}

/** A query of a component's database that returns `State`s. */
interface Source {
  component: string
  text: string
}

const FOLDERS = `SELECT id, revision, concat_ws(' ', user_id, is_public, visibility_revision) AS state FROM folders`
const USERS = `SELECT id, revision, concat_ws(' ', public_by_default, quota) AS state FROM users`
const USAGE = `SELECT user_id AS id, revision::int AS revision, concat_ws(' ', photos, locations, bytes) AS state FROM user_usage`
const PHOTOS = 'SELECT id, revision, folder_id::text AS state FROM photos'
const ORDERED_PHOTOS = 'SELECT id, revision, NULL AS state FROM photos'

/** What a service owns, and what another one knows of it. */
const PROJECTIONS: Record<string, { own: Source; known: Source }> = {
  'photo in folders': {
    own: { component: 'media', text: PHOTOS },
    known: { component: 'folders', text: `${PHOTOS} WHERE NOT deleted` },
  },
  'photo in print-orders': {
    own: { component: 'media', text: ORDERED_PHOTOS },
    known: { component: 'print-orders', text: `${ORDERED_PHOTOS} WHERE NOT deleted` },
  },
  'folder in media': {
    own: { component: 'folders', text: FOLDERS },
    known: { component: 'media', text: `${FOLDERS} WHERE NOT deleted` },
  },
  'user in media': {
    own: { component: 'auth', text: USERS },
    known: { component: 'media', text: `${USERS} WHERE NOT deleted` },
  },
  'usage in auth': { own: { component: 'media', text: USAGE }, known: { component: 'auth', text: USAGE } },
  'recounted storage in auth': {
    own: {
      component: 'media',
      text: 'SELECT user_id AS id, 0 AS revision, sum(filesize)::text AS state FROM photos GROUP BY 1',
    },
    known: {
      component: 'auth',
      text: 'SELECT user_id AS id, 0 AS revision, bytes::text AS state FROM user_usage WHERE photos > 0',
    },
  },
}

/** Compares each projection with its source. Returns one sentence for each entity of which `isWrong`. */
async function compare(
  env: Environment,
  isWrong: (own: State | undefined, known: State | undefined) => boolean,
): Promise<string[]> {
  const wrong: string[] = []
  for (const [what, { own, known }] of Object.entries(PROJECTIONS)) {
    const [owned, copied] = await Promise.all(
      [own, known].map(({ component, text }) => readStates(env, component, text)),
    )
    const ids = new Set([...(owned?.keys() ?? []), ...(copied?.keys() ?? [])])
    for (const id of ids) {
      const [source, copy] = [owned?.get(id), copied?.get(id)]
      if (isWrong(source, copy)) wrong.push(`${what} ${id}: ${describe(copy)} instead of ${describe(source)}`)
    }
  }
  return wrong
}

async function readStates(env: Environment, component: string, text: string): Promise<Map<number, State>> {
  return new Map((await query<State>(env, component, text)).map((state) => [state.id, state]))
}

const describe = (state: State | undefined) => (state ? `${state.state} at revision ${state.revision}` : 'nothing')

/** Finds copies that are newer than their source: events could never correct them. */
export function findNewerCopies(env: Environment): Promise<string[]> {
  // What is missing was deleted: its copy is older than the deletion.
  return compare(env, (own, known) => own !== undefined && known !== undefined && known.revision > own.revision)
}

export function findDifferences(env: Environment): Promise<string[]> {
  return compare(env, (own, known) => own?.revision !== known?.revision || own?.state !== known?.state)
}
