import type { Failure } from './answer.ts'
import { groupFiles, type SendProgress, sendProgress } from './groups.ts'
import type { Send, UploadFields } from './send.ts'

/** What became of all files: the stored photos, the refusals by name, and what was never sent because of a failure. */
export interface Sent {
  photoIds: number[]
  issues: string[]
  refusal: string | null
  unsent: File[]
  failure: Failure | null
}

/**
 * Sends the files in requests of at most `filesPerRequest`, one after the other. A request whose files are all refused
 * does not stop the ones after it; any other failure does.
 */
export async function sendAll(
  files: readonly File[],
  fields: UploadFields,
  options: { filesPerRequest: number; send: Send; onProgress: (progress: SendProgress) => void; signal: AbortSignal },
): Promise<Sent> {
  const groups = groupFiles(files, options.filesPerRequest)
  const bytes = groups.map((group) => group.reduce((sum, file) => sum + file.size, 0))
  const sent: Sent = { photoIds: [], issues: [], refusal: null, unsent: [], failure: null }
  for (const [index, group] of groups.entries()) {
    const report = (loaded: number, total: number) => options.onProgress(sendProgress(bytes, index, loaded, total))
    report(0, 1)
    const answer = await options.send(group, fields, report, options.signal)
    if (answer.kind === 'failed') return { ...sent, unsent: groups.slice(index).flat(), failure: answer.failure }
    sent.issues.push(...answer.issues)
    if (answer.kind === 'stored') sent.photoIds.push(...answer.photoIds)
    else sent.refusal ??= answer.message
  }
  return sent
}
