import { countOf, formatNumber } from '../../lib/format.ts'
import { ERROR_TEXTS } from './queue/error-texts.ts'
import { resultSentence } from './progress-texts.ts'
import type { Item } from './queue/items.ts'
import type { StateName } from './queue/states.ts'

/** A toast of the upload, with the texts of the specification. */
export interface UploadToast {
  title: string
  description: string
  tone: 'good' | 'neutral' | 'danger'
}

/** More sentences do not fit into a toast; the list of files shows all. */
const MAX_ISSUES = 5

/** The toast when the upload of these files has ended; null when there is nothing to say. */
export function finishToast(items: readonly Item[]): UploadToast | null {
  const count = (name: StateName) => items.filter((item) => item.state.name === name).length
  const [ready, known] = [count('ready'), count('known')]
  const problems = items.filter(({ state }) => 'reason' in state)
  const before = known === 0 ? '' : `${formatNumber(known)} ${known === 1 ? 'was' : 'were'} already there.`
  if (problems.length > 0) {
    if (ready + known === 0) return failureToast(problems, items.length)
    return { title: resultSentence(ready, items.length, problems.length), description: before, tone: 'neutral' }
  }
  if (ready > 0) {
    return { title: 'Upload successful', description: `${successSentence(ready)} ${before}`.trim(), tone: 'good' }
  }
  if (known > 0) {
    const sentence = known === 1 ? 'You already have this photo.' : `You already have these ${countOf(known, 'photo')}.`
    return { title: 'Upload successful', description: sentence, tone: 'good' }
  }
  return null
}

function successSentence(count: number): string {
  return count === 1
    ? 'Your photo has been uploaded and processed.'
    : `${count} photos have been uploaded and processed.`
}

/** None of the files has become a usable photo. */
function failureToast(problems: readonly Item[], chosen: number): UploadToast {
  const issues = [...new Set(problems.map(({ state }) => ('reason' in state ? state.reason : '')))]
  if (issues.length === 1 && issues[0] === ERROR_TEXTS.unreadable) {
    return { title: 'Upload error', description: ERROR_TEXTS.unreadable, tone: 'danger' }
  }
  if (issues.length === 1 && issues[0] === ERROR_TEXTS.network) {
    return { title: 'Upload failed', description: ERROR_TEXTS.network, tone: 'danger' }
  }
  const kinds = groupReasons(problems)
  if (problems.every(({ state }) => state.name === 'unprocessed')) {
    const stored = problems.length === 1 ? 'The photo is' : `${formatNumber(problems.length)} photos are`
    const description = `${stored} stored but could not be processed: ${joinSentences(kinds)}`
    return { title: 'Processing failed', description, tone: 'danger' }
  }
  const message = chosen === 1 ? 'Failed to upload photo' : 'Failed to upload photos'
  return { title: 'Upload failed', description: joinSentences([message, ...kinds]), tone: 'danger' }
}

/** The distinct reasons; those that differ only in the file's name count as one. */
function groupReasons(problems: readonly Item[]): string[] {
  const kinds = new Map<string, { reason: string; count: number }>()
  for (const { state, file } of problems) {
    if (!('reason' in state)) continue
    const key = state.reason.replaceAll(file.name, '')
    const kind = kinds.get(key) ?? { reason: state.reason, count: 0 }
    kind.count += 1
    kinds.set(key, kind)
  }
  return [...kinds].map(([key, { reason, count }]) =>
    key === reason || count === 1
      ? reason
      : `${withoutFullStop(reason)} (${countOf(count - 1, 'other')} likewise)${fullStopOf(reason)}`,
  )
}

/** The distinct sentences joined by commas, with a full stop only at the end. */
export function joinSentences(sentences: readonly string[]): string {
  const unique = [...new Set(sentences)]
  const shown = unique.slice(0, MAX_ISSUES + 1)
  const more = unique.length - shown.length
  const tail = more > 0 ? ` and ${formatNumber(more)} more` : ''
  return shown.map(withoutFullStop).join(', ') + tail + fullStopOf(shown.at(-1) ?? '')
}

const withoutFullStop = (sentence: string) => sentence.replace(/\.$/, '')
const fullStopOf = (sentence: string) => (sentence.endsWith('.') ? '.' : '')

export const CANCELLED: UploadToast = {
  title: 'Upload cancelled',
  description: 'The upload was cancelled',
  tone: 'danger',
}

/** The session has ended during the upload: nothing is lost. */
export function sessionToast(hasUnsent: boolean): UploadToast {
  if (!hasUnsent) {
    return { title: 'Your session has ended', description: 'Your photos are stored safely.', tone: 'danger' }
  }
  const description = 'Your session has ended. Log in to continue; nothing is lost while this page is open.'
  return { title: 'Upload paused', description, tone: 'danger' }
}
