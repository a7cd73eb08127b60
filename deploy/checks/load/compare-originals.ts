import { createHash } from 'node:crypto'
import { openSignedInClient } from '../../local/signed-in-client.ts'

/** One line that k6-upload.ts logs: a photo that the server acknowledged. */
export interface Acknowledged {
  id: number
  /** Path of the original. */
  url: string
  /** Hex digest of the bytes that were sent. */
  sha256: string
  /** Number of the account. */
  user: number
}

interface Accounts {
  baseUrl: string
  account: string
  password: string
}

const CONCURRENT_DOWNLOADS = 4

/** Downloads the originals, or a random sample of `maxCompared`. Returns one sentence per original that differs. */
export async function compareOriginals(
  accounts: Accounts,
  acknowledged: Acknowledged[],
  maxCompared: number,
): Promise<{ compared: number; missing: string[] }> {
  const cookies = new Map<number, string>()
  for (const user of new Set(acknowledged.map((photo) => photo.user))) cookies.set(user, await signIn(accounts, user))
  const sample = acknowledged.length > maxCompared ? shuffle(acknowledged).slice(0, maxCompared) : acknowledged
  const missing: string[] = []
  const waiting = sample.values()
  const work = async () => {
    for (const photo of waiting) {
      const error = await compareOriginal(accounts.baseUrl + photo.url, cookies.get(photo.user) ?? '', photo.sha256)
      if (error) missing.push(`photo ${photo.id}: ${error}`)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_DOWNLOADS }, work))
  return { compared: sample.length, missing }
}

async function signIn({ baseUrl, account, password }: Accounts, user: number): Promise<string> {
  const session = await openSignedInClient(baseUrl, { username: `${account}-${user}`, password })
  return session.cookie
}

/** Returns what is wrong with the file at this URL, or null. */
async function compareOriginal(url: string, cookie: string, sha256: string): Promise<string | null> {
  try {
    const response = await fetch(url, { headers: { cookie } })
    if (response.status !== 200 || !response.body) return `${url} returned ${response.status}`
    const hash = createHash('sha256')
    for await (const chunk of response.body) hash.update(chunk)
    return hash.digest('hex') === sha256 ? null : `${url} has other bytes than were sent`
  } catch (error) {
    return `${url} could not be read: ${error}`
  }
}

function shuffle<T>(list: T[]): T[] {
  return list
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)
}
