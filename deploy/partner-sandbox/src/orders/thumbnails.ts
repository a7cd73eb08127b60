import { randomUUID } from 'node:crypto'

const MAX_THUMBNAILS = 300

/** The newest thumbnails (JPEG). */
export class Thumbnails {
  readonly #images = new Map<string, Buffer>()

  /** @returns its id */
  add(image: Buffer, id: string = randomUUID()): string {
    this.#images.set(id, image)
    for (const oldest of this.#images.keys()) {
      if (this.#images.size <= MAX_THUMBNAILS) break
      this.#images.delete(oldest)
    }
    return id
  }

  get(id: string): Buffer | undefined {
    return this.#images.get(id)
  }

  entries(): [string, Buffer][] {
    return [...this.#images]
  }

  clear(): void {
    this.#images.clear()
  }
}
