import { createHash } from 'node:crypto'
import type { Pool } from 'pg'

const REGISTER = `
INSERT INTO voter_keys (id)
SELECT id FROM unnest($1::text[]) WITH ORDINALITY AS given (id, position) ORDER BY position
ON CONFLICT DO NOTHING`
const OLDEST = 'SELECT id FROM voter_keys WHERE id = ANY($1::text[]) ORDER BY seq LIMIT 1'

/**
 * Returns the configured key that this installation has known for longest, and registers new ones in their order.
 *
 * It keys the hashes of voters whatever the order of the list: during a key rotation, replicas with different lists
 * agree on it, and each voter keeps the hash under which the ballot is stored.
 */
export async function oldestKnownKey(pool: Pool, keys: string[]): Promise<string> {
  const ids = keys.map((key) => createHash('sha256').update(`voter-key:${key}`).digest('hex').slice(0, 16))
  await pool.query(REGISTER, [ids])
  const { rows } = await pool.query<{ id: string }>(OLDEST, [ids])
  return keys[ids.indexOf(rows[0]?.id ?? '')] as string
}
