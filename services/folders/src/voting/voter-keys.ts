import { createHash } from 'node:crypto'
import type { Database } from '../database.ts'

/**
 * Returns the configured key that this installation has known for longest, and registers new ones in their order.
 *
 * It keys the hashes of voters whatever the order of the list: during a key rotation, replicas with different lists
 * agree on it, and each voter keeps the hash under which the ballot is stored.
 */
export async function oldestKnownKey(db: Database, keys: string[]): Promise<string> {
  const ids = keys.map((key) => createHash('sha256').update(`voter-key:${key}`).digest('hex').slice(0, 16))
  await db.voterKey.createMany({ data: ids.map((id) => ({ id })), skipDuplicates: true })
  const oldest = await db.voterKey.findFirst({ where: { id: { in: ids } }, orderBy: { seq: 'asc' } })
  return keys[ids.indexOf(oldest?.id ?? '')] as string
}
