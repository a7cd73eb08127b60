import type { UploadSession } from '../../../api/types.ts'
import { FileParts } from './file-parts.ts'
import type { Item } from './item.ts'

/** The files with an open upload session: the oldest first, and those with a refused part last. */
export class OpenFiles {
  #files: FileParts[] = []
  #isDirect = true

  /** False once signed URLs have failed while the gateway responded. */
  get isDirect(): boolean {
    return this.#isDirect
  }

  add(item: Item, session: UploadSession): FileParts {
    const file = new FileParts(item, session)
    this.#files.push(file)
    this.update(file, session)
    return file
  }

  /** Takes over what the server says. */
  update(file: FileParts, session: UploadSession): void {
    file.apply(session)
    if (!this.#isDirect) file.avoidUrls()
  }

  /** From now on all parts go through the gateway. */
  avoidUrls(): void {
    this.#isDirect = false
    for (const file of this.#files) file.avoidUrls()
  }

  /** The others are sent first. */
  postpone(file: FileParts): void {
    this.remove(file)
    this.#files.push(file)
  }

  remove(file: FileParts): void {
    this.#files = this.#files.filter((one) => one !== file)
  }

  includes(file: FileParts): boolean {
    return this.#files.includes(file)
  }

  filter(matches: (file: FileParts) => boolean): FileParts[] {
    return this.#files.filter(matches)
  }

  find(matches: (file: FileParts) => boolean): FileParts | undefined {
    return this.#files.find(matches)
  }

  /** The next part to send. */
  get nextPart(): { file: FileParts; number: number } | null {
    for (const file of this.#files) {
      const [number] = file.isBusy ? [] : file.waiting
      if (number !== undefined) return { file, number }
    }
    return null
  }

  /** The number of requests about whole upload sessions. */
  get requests(): number {
    return this.#files.filter(({ isRequesting }) => isRequesting).length
  }

  /** The number of parts that wait to be sent from here. */
  get waitingParts(): number {
    return this.#files.reduce((sum, { isResting, waiting }) => sum + (isResting ? 0 : waiting.length), 0)
  }

  /** Bytes of the parts being sent that have not left the browser. */
  get unsentBytes(): number {
    return this.#files.reduce((sum, { unsent }) => sum + unsent, 0)
  }

  /** The connection carries parts. */
  forgetBreaks(): void {
    for (const { attempts } of this.#files) attempts.forgetBreaks()
  }
}
