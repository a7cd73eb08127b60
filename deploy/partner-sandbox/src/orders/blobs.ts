import { createHmac, randomBytes } from 'node:crypto'

export const CONTAINER = 'qpcontainerin'

const MAX_TOTAL_BYTES = 64 * 1024 * 1024

/** The partner's container for uploads: each image can be written once with a signature, and is read only by its printers. */
export class Blobs {
  readonly #key = randomBytes(32)
  readonly #blobs = new Map<string, Buffer>()
  #bytes = 0

  /** The query string that permits writing until then. */
  signature(expiresAt: number): string {
    const se = new Date(expiresAt).toISOString().replace(/\.\d+Z$/, 'Z')
    return new URLSearchParams({ sv: '2021-08-06', se, sr: 'c', sp: 'w', sig: this.#sign(se) }).toString()
  }

  /** @returns why the signature does not permit writing, or undefined when it does */
  rejection(query: Record<string, string | undefined>, now: number): string | undefined {
    const { se = '', sig = '' } = query
    if (sig !== this.#sign(se)) return 'Signature did not match.'
    return Date.parse(se) <= now ? 'Signature not valid in the specified time frame.' : undefined
  }

  #sign(expiry: string): string {
    return createHmac('sha256', this.#key).update(expiry).digest('base64')
  }

  put(name: string, content: Buffer): void {
    this.#bytes += content.byteLength - (this.#blobs.get(name)?.byteLength ?? 0)
    this.#blobs.delete(name)
    this.#blobs.set(name, content)
    for (const [oldest, { byteLength }] of this.#blobs) {
      if (this.#bytes <= MAX_TOTAL_BYTES) return
      this.#blobs.delete(oldest)
      this.#bytes -= byteLength
    }
  }

  /** The image behind an address in the container. */
  find(url: string): Buffer | undefined {
    const [container, name] = new URL(url).pathname.slice(1).split('/')
    return container === CONTAINER && name ? this.#blobs.get(name) : undefined
  }

  clear(): void {
    this.#blobs.clear()
    this.#bytes = 0
  }
}
