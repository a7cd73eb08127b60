import { createHash } from 'node:crypto'
import type { Pool } from 'pg'

const KNOW = `
INSERT INTO voter_keys (id)
SELECT id FROM unnest($1::text[]) WITH ORDINALITY AS given (id, place) ORDER BY place
ON CONFLICT DO NOTHING`
const LONGEST_KNOWN = 'SELECT id FROM voter_keys WHERE id = ANY($1::text[]) ORDER BY seq LIMIT 1'

/**
 * Of the given keys the one that this installation has known for longest; new ones are known from now on, in this order.
 *
 * It keys the hashes of voters, whatever the order of the list: while a key is rotated, replicas with different lists
 * agree on it, and each voter keeps the one hash under which the ballot is.
 */
export async function longestKnownKey(pool: Pool, keys: string[]): Promise<string> {
  const ids = keys.map((key) => createHash('sha256').update(`voter-key:${key}`).digest('hex').slice(0, 16))
  await pool.query(KNOW, [ids])
  const { rows } = await pool.query<{ id: string }>(LONGEST_KNOWN, [ids])
  return keys[ids.indexOf(rows[0]?.id ?? '')] as string
}
