import { createHash } from 'node:crypto'
import { openSession } from '../../local/session.ts'

/** One line that upload.ts writes: a photo that the server promised to keep. */
export interface Acknowledged {
  id: number
  /** Path of the original. */
  url: string
  /** Hex, of the bytes that were sent. */
  sha256: string
  /** Number of the account. */
  user: number
}

interface Accounts {
  baseUrl: string
  account: string
  password: string
}

const downloads = 4

/** Downloads the originals, or `most` of them drawn at random, and gives one sentence for each that differs. */
export async function compareOriginals(
  o: Accounts,
  acknowledged: Acknowledged[],
  most: number,
): Promise<{ compared: number; missing: string[] }> {
  const cookies = new Map<number, string>()
  for (const user of new Set(acknowledged.map((photo) => photo.user))) cookies.set(user, await signIn(o, user))
  const drawn = acknowledged.length > most ? shuffled(acknowledged).slice(0, most) : acknowledged
  const missing: string[] = []
  const waiting = drawn.values()
  const work = async () => {
    for (const photo of waiting) {
      const trouble = await compare(o.baseUrl + photo.url, cookies.get(photo.user) ?? '', photo.sha256)
      if (trouble) missing.push(`photo ${photo.id}: ${trouble}`)
    }
  }
  await Promise.all(Array.from({ length: downloads }, work))
  return { compared: drawn.length, missing }
}

async function signIn({ baseUrl, account, password }: Accounts, user: number): Promise<string> {
  const session = await openSession(baseUrl, { username: `${account}-${user}`, password })
  return session.cookie
}

/** What is wrong with the file at this address, or null. */
async function compare(url: string, cookie: string, sha256: string): Promise<string | null> {
  try {
    const answer = await fetch(url, { headers: { cookie } })
    if (answer.status !== 200 || !answer.body) return `${url} answered ${answer.status}`
    const hash = createHash('sha256')
    for await (const chunk of answer.body) hash.update(chunk)
    return hash.digest('hex') === sha256 ? null : `${url} has other bytes than were sent`
  } catch (error) {
    return `${url} could not be read: ${error}`
  }
}

function shuffled<T>(list: T[]): T[] {
  return list
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)
}
