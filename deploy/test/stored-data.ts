import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { connectNats, type openPool, openRedis } from '@skyfolio/kit'

/** One thing that a server stores, as text or bytes. */
export interface StoredItem {
  /** Server and place, such as `postgres media.photos` or `redis user-activity`. */
  where: string
  content: Buffer
}

type Pool = ReturnType<typeof openPool>

/** Every row of every table, as text; binary columns are in it in hex. */
export async function* rowsOf(pool: Pool, database: string): AsyncGenerator<StoredItem> {
  for (const table of await tablesOf(pool)) {
    const { rows } = await pool.query<{ content: string }>(
      `SELECT row_to_json(stored)::text AS content FROM ${table} AS stored`,
    )
    for (const { content } of rows) yield { where: `postgres ${database}.${table}`, content: Buffer.from(content) }
  }
}

/** How many rows of each table name the user, by a column for ids of users. */
export async function rowsNaming(pool: Pool, database: string, userId: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const { rows } = await pool.query<{ place: string; table: string }>(
    `SELECT format('%I', table_name) AS table, format('%I.%I', table_name, column_name) AS place
     FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
       AND (column_name IN ('user_id', 'owner_id', 'actor_id') OR (table_name, column_name) = ('users', 'id'))`,
  )
  for (const { place, table } of rows) {
    const { rowCount } = await pool.query(`SELECT FROM ${table} WHERE ${place} = $1`, [userId])
    if (rowCount) counts[`${database}.${place}`] = rowCount
  }
  return counts
}

async function tablesOf(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('%I', table_name) AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

/** Every key with its value, of each type. */
export async function* keysOf(redisUrl: string): AsyncGenerator<StoredItem> {
  const redis = openRedis(redisUrl, 'test')
  try {
    for (const key of await redis.keys('*')) {
      const value = await redis.dumpBuffer(key)
      const text = JSON.stringify(await readValue(redis, key))
      yield {
        where: `redis ${key}`,
        content: Buffer.concat([Buffer.from(`${key} ${text} `), value ?? Buffer.alloc(0)]),
      }
    }
  } finally {
    redis.disconnect()
  }
}

async function readValue(redis: ReturnType<typeof openRedis>, key: string): Promise<unknown> {
  const type = await redis.type(key)
  if (type === 'hash') return redis.hgetall(key)
  if (type === 'list') return redis.lrange(key, 0, -1)
  if (type === 'set') return redis.smembers(key)
  if (type === 'zset') return redis.zrange(key, 0, -1)
  if (type === 'stream') return redis.xrange(key, '-', '+')
  return redis.get(key)
}

interface StreamInfo {
  config: Record<string, unknown> & { name: string }
  state: { messages: number; first_seq: number; last_seq: number }
}

/** The streams of a NATS server, by JetStream's own API. */
export async function openStreams(natsUrl: string) {
  const nats = await connectNats(natsUrl, 'test')

  async function request<T>(subject: string, body: object = {}): Promise<T> {
    const reply = await nats.request(`$JS.API.${subject}`, JSON.stringify(body), { timeout: 5_000 })
    const response = JSON.parse(new TextDecoder().decode(reply.data)) as T & { error?: { description: string } }
    if (response.error) throw new Error(`${subject}: ${response.error.description}`)
    return response
  }

  const infos = async () => (await request<{ streams: StreamInfo[] | null }>('STREAM.LIST')).streams ?? []
  return {
    /** Every message of every stream, with its subject and headers. */
    async *messages(): AsyncGenerator<StoredItem> {
      for (const { config, state } of await infos()) {
        for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
          const found = await request<{ message: { subject: string; data?: string; hdrs?: string } }>(
            `STREAM.MSG.GET.${config.name}`,
            { seq },
          ).catch(() => null)
          if (!found) continue
          const { subject, data = '', hdrs = '' } = found.message
          const parts = [Buffer.from(subject), Buffer.from(hdrs, 'base64'), Buffer.from(data, 'base64')]
          yield { where: `nats ${config.name} ${subject}`, content: Buffer.concat(parts) }
        }
      }
    },
    /** Lets everything expire that is older than a moment, as if its time had passed; the streams stay so. */
    async expire(): Promise<void> {
      const maxAge = { max_age: 1_000_000_000, duplicate_window: 1_000_000_000 }
      for (const { config } of await infos()) await request(`STREAM.UPDATE.${config.name}`, { ...config, ...maxAge })
    },
    async count(): Promise<number> {
      return (await infos()).reduce((sum, { state }) => sum + state.messages, 0)
    },
    close: () => nats.close(),
  }
}

/** Every file in a directory, with its path. */
export async function* filesIn(directory: string, what: string): AsyncGenerator<StoredItem> {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const name = relative(directory, path)
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    const hash = createHash('sha256').update(bytes).digest('hex')
    yield { where: `${what} ${name}`, content: Buffer.concat([Buffer.from(`${name} ${hash} `), bytes]) }
  }
}

/** Something that may be in no store. */
export interface Needle {
  name: string
  /** Each way in which it can be written. */
  forms: Buffer[]
}

/** A text: as it is, in lower case, and in hex as rows show binary columns. */
export function textNeedle(text: string): Needle {
  const forms = [...new Set([text, text.toLowerCase(), JSON.stringify(text).slice(1, -1)])].map((form) =>
    Buffer.from(form),
  )
  return { name: text, forms: [...forms, ...forms.map((form) => Buffer.from(form.toString('hex')))] }
}

/** The hash of a file: in hex, and its bytes. */
export function hashNeedle(name: string, file: Buffer): Needle {
  const hash = createHash('sha256').update(file).digest()
  return {
    name: `SHA-256 of ${name}`,
    forms: [Buffer.from(hash.toString('hex')), hash, Buffer.from(hash.toString('base64'))],
  }
}

/** Where the needles are, each place once. */
export async function findNeedles(needles: Needle[], ...stores: AsyncIterable<StoredItem>[]): Promise<string[]> {
  const found = new Set<string>()
  for (const store of stores) {
    for await (const { where, content } of store) {
      for (const { name, forms } of needles) {
        if (forms.some((form) => content.includes(form))) found.add(`${name} in ${where}`)
      }
    }
  }
  return [...found].sort()
}
