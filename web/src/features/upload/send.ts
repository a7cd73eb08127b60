import { type Answer, readAnswer } from './answer.ts'

/** The form's fields that go with every request of an upload. */
export interface UploadFields {
  description: string
  folderId: number | null
  isPublic: boolean
}

/** Sends the files of one request and resolves with what became of them; it never rejects. */
export type Send = (
  files: readonly File[],
  fields: UploadFields,
  onProgress: (loaded: number, total: number) => void,
  signal: AbortSignal,
) => Promise<Answer>

/** XMLHttpRequest, because fetch does not report the bytes it has sent. */
export const sendByXhr: Send = (files, fields, onProgress, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve({ kind: 'failed', failure: { reason: 'cancelled' } })
    const request = new XMLHttpRequest()
    const single = files.length === 1
    request.open('POST', single ? '/api/upload-photo' : '/api/upload-photos')
    request.upload.onprogress = (event) => onProgress(event.loaded, event.total)
    request.onload = () => resolve(readAnswer(request.status, request.responseText))
    request.onerror = () => resolve({ kind: 'failed', failure: { reason: 'network' } })
    request.onabort = () => resolve({ kind: 'failed', failure: { reason: 'cancelled' } })
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(formOf(files, fields, single ? 'photo' : 'photos'))
  })

function formOf(files: readonly File[], fields: UploadFields, fileField: string): FormData {
  const form = new FormData()
  if (fields.description) form.append('description', fields.description)
  form.append('isPublic', String(fields.isPublic))
  if (fields.folderId !== null) form.append('folderId', String(fields.folderId))
  for (const file of files) form.append(fileField, file, file.name)
  return form
}
