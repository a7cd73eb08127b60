import { createHash } from 'node:crypto'

/** A photo that the server acknowledged. */
export interface Original {
  id: number
  url: string
  /** Hex digest of the bytes that were sent. */
  sha256: string
  /** Of its owner. */
  cookie: string
}

const CONCURRENT_DOWNLOADS = 4

/** Downloads the originals, or a random sample of `maxCompared`. Returns one sentence per original that differs. */
export async function compareOriginals(
  originals: Original[],
  maxCompared = Number.POSITIVE_INFINITY,
): Promise<{ compared: number; wrong: string[] }> {
  const sample = originals.toSorted(() => Math.random() - 0.5).slice(0, maxCompared)
  const wrong: string[] = []
  const waiting = sample.values()
  const work = async () => {
    for (const original of waiting) {
      const error = await compareOriginal(original)
      if (error) wrong.push(`photo ${original.id}: ${error}`)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_DOWNLOADS }, work))
  return { compared: sample.length, wrong }
}

/** Returns what is wrong with the file, or null. */
async function compareOriginal({ url, cookie, sha256 }: Original): Promise<string | null> {
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
