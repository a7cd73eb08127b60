import { type PrintImageRequest, preparePrintImages } from '../../api/print-orders.ts'
import { pause } from './browser.ts'
import { prepareAll } from './upload-photos.ts'
import type { WizardState } from './wizard-types.ts'

/** A print whose file could not be made. */
export interface FailedPrint {
  title: string
  message: string
}

/** The files that an order needs: one for each own photo, size and crop. */
export function printFilesOf(state: WizardState): PrintImageRequest[] {
  const own = new Set(state.photos.filter((photo) => photo.own).map(({ id }) => id))
  const files = new Map<string, PrintImageRequest>()
  for (const { photoId, productId, crop } of state.prints) {
    if (productId === null || !own.has(photoId)) continue
    const file = { photoId, productId, ...(crop && { crop }) }
    files.set(JSON.stringify(file), file)
  }
  return [...files.values()]
}

/** Has the files of the order made; repeating it costs little. Resolves to those that failed. */
export async function makePrintFiles(
  state: WizardState,
  signal: AbortSignal,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<FailedPrint[]> {
  const files = printFilesOf(state)
  const failed: FailedPrint[] = []
  let done = 0
  onProgress(done, files.length)
  await prepareAll(files, { prepare: preparePrintImages, pause }, signal, (images) => {
    for (const { photoId, status, message } of images) {
      if (status !== 'failed') continue
      const title = state.photos.find(({ id }) => id === photoId)?.title ?? 'A photo'
      failed.push({ title, message: message ?? 'It could not be prepared for printing.' })
    }
    done += images.length
    onProgress(done, files.length)
  })
  return failed
}
