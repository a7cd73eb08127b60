import { type Logger, repeat } from '@skyfolio/kit'
import type { Pool } from 'pg'

/** Counts how often links are opened, by day. */
export interface LinkOpenings {
  count(linkId: number): void
  /** Stores what was counted, and ends. */
  stop(): Promise<void>
}

const STORE_SECONDS = 1
// In the order of ids, so that replicas never wait for each other crosswise. A link may have been withdrawn meanwhile.
const STORE = `
INSERT INTO link_openings AS known (link_id, day, count)
SELECT id, (now() AT TIME ZONE 'UTC')::date, opened.count
FROM unnest($1::integer[], $2::integer[]) AS opened (link_id, count) JOIN links ON links.id = opened.link_id
ORDER BY id FOR KEY SHARE OF links
ON CONFLICT (link_id, day) DO UPDATE SET count = known.count + excluded.count`

/** Sums up in memory: a link that thousands open costs one statement a second. A process that is killed loses that second. */
export function createLinkOpenings(pool: Pool, logger: Logger): LinkOpenings {
  let counts = new Map<number, number>()

  function count(linkId: number, openings = 1): void {
    counts.set(linkId, (counts.get(linkId) ?? 0) + openings)
  }

  async function store(): Promise<void> {
    if (counts.size === 0) return
    const counted = counts
    counts = new Map()
    try {
      await pool.query({ name: 'link-openings', text: STORE, values: [[...counted.keys()], [...counted.values()]] })
    } catch (error) {
      for (const [linkId, openings] of counted) count(linkId, openings)
      throw error
    }
  }

  const stopStoring = repeat('counting of opened links', STORE_SECONDS, store, logger)
  return {
    count: (linkId) => count(linkId),
    async stop() {
      await stopStoring()
      await store()
    },
  }
}
