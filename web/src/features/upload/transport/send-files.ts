import { ERROR_TEXTS } from '../error-texts.ts'
import type { Send, SendResult } from '../queue/deps.ts'
import type { Batch } from '../queue/item.ts'
import { readUploadResponse } from './upload-response.ts'

/** A connection can break silently: this long without progress counts as a failure. */
const STALL_TIMEOUT_MS = 45_000
/** A proxy may have received all bytes and still be forwarding them. */
const RESPONSE_TIMEOUT_MS = 5 * 60_000

const NETWORK_FAILURE: SendResult = { kind: 'retryable', why: 'network', reason: ERROR_TEXTS.network, afterMs: null }

/** XMLHttpRequest, because fetch does not report the bytes it has sent. */
export const sendByXhr: Send = (files, batch, onProgress, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve({ kind: 'aborted' })
    const request = new XMLHttpRequest()
    let watchdog = setTimeout(stalled, STALL_TIMEOUT_MS)

    function stalled(): void {
      finish(NETWORK_FAILURE)
      request.abort()
    }
    function cancel(): void {
      finish({ kind: 'aborted' })
      request.abort()
    }
    function finish(result: SendResult): void {
      clearTimeout(watchdog)
      signal.removeEventListener('abort', cancel)
      resolve(result)
    }
    function progressed({ loaded, total }: ProgressEvent): void {
      clearTimeout(watchdog)
      watchdog = setTimeout(stalled, loaded < total ? STALL_TIMEOUT_MS : RESPONSE_TIMEOUT_MS)
      onProgress(loaded, total)
    }

    request.open('POST', batch.single ? '/api/upload-photo' : '/api/upload-photos')
    request.upload.onprogress = progressed
    request.onload = () => {
      const retryAfter = request.getResponseHeader('retry-after')
      finish(readUploadResponse(request.status, request.responseText, files.length, retryAfter))
    }
    request.onerror = () => finish(NETWORK_FAILURE)
    signal.addEventListener('abort', cancel)
    request.send(formOf(files, batch))
  })

function formOf(files: readonly File[], { description, isPublic, folderId, single }: Batch): FormData {
  const form = new FormData()
  if (description) form.append('description', description)
  form.append('isPublic', String(isPublic))
  if (folderId !== null) form.append('folderId', String(folderId))
  for (const file of files) form.append(single ? 'photo' : 'photos', file, file.name)
  return form
}
