import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Order } from '../orders/order.ts'

export interface SavedState {
  version: 1
  clockOffsetMs: number
  orders: Order[]
  /** Base64 by id. */
  thumbnails: Record<string, string>
}

/** Keeps orders and clock in a file, so that they survive a restart. Without a path it does nothing. */
export class DataFile {
  readonly #path: string | undefined
  readonly #content: () => SavedState
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(path: string | undefined, content: () => SavedState) {
    this.#path = path
    this.#content = content
  }

  /** @throws Error when the file exists and cannot be read */
  async load(): Promise<SavedState | undefined> {
    if (!this.#path) return undefined
    try {
      const saved: SavedState = JSON.parse(await readFile(this.#path, 'utf8'))
      if (saved?.version === 1 && Array.isArray(saved.orders)) return saved
      throw new Error('it has another format')
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return undefined
      throw new Error(`${this.#path} cannot be read (${error}). Repair or delete it.`)
    }
  }

  /** Resolves when the state as it is now, or a later one, is in the file. Calls during a write share the next one. */
  save(): Promise<void> {
    const path = this.#path
    if (!path) return Promise.resolve()
    this.#next ??= this.#writing.then(() => {
      const write = this.#write(path)
      this.#next = undefined
      this.#writing = write.catch(() => {})
      return write
    })
    return this.#next
  }

  async #write(path: string): Promise<void> {
    const text = JSON.stringify(this.#content())
    await mkdir(dirname(path), { recursive: true })
    await writeFile(`${path}.new`, text, { flush: true })
    await rename(`${path}.new`, path)
  }
}
