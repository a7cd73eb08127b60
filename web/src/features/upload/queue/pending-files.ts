import type { Batch, Chosen } from './item.ts'

/** Files are added in portions of this size: the page stays responsive. */
const ADD_AT_ONCE = 250

/** Chosen files that are not in the queue yet. */
export class PendingFiles {
  #groups: { files: readonly Chosen[]; batch: Batch }[] = []
  readonly #onFiles: (files: readonly Chosen[], batch: Batch) => void

  /** `onFiles` receives the first portion at once, and each further one in a task of its own. */
  constructor(onFiles: (files: readonly Chosen[], batch: Batch) => void) {
    this.#onFiles = onFiles
  }

  get isEmpty(): boolean {
    return this.#groups.length === 0
  }

  add(files: readonly Chosen[], batch: Batch): void {
    this.#groups.push({ files, batch })
    if (this.#groups.length === 1) this.#passOn()
  }

  clear(): void {
    this.#groups = []
  }

  #passOn(): void {
    const [next] = this.#groups
    if (!next) return
    const files = next.files.slice(0, ADD_AT_ONCE)
    next.files = next.files.slice(ADD_AT_ONCE)
    if (next.files.length === 0) this.#groups.shift()
    this.#onFiles(files, next.batch)
    if (this.#groups.length > 0) setTimeout(() => this.#passOn())
  }
}
