import type { ToastContent } from '../../components/ui/toast-store.ts'
import { countOf, formatBytes, formatNumber } from '../../lib/format.ts'
import { bytesLeft, type StorageQuota, withUploads } from '../../lib/storage-quota.ts'
import { ERROR_TEXTS } from './queue/failure.ts'
import { type Item, isAnyIn, nameInUpload } from './queue/items.ts'
import { photosOf } from './queue/photos.ts'
import {
  ACTIVE,
  DONE,
  NOT_STORED,
  PROBLEMS,
  RETRYABLE,
  SENDABLE,
  type StateName,
  UNDONE,
  UNSENT,
} from './queue/states.ts'
import type { UploadQueue } from './queue/upload-queue.ts'

export type Overview = ReturnType<typeof overviewOf>

/** Numbers of photos: a pair is one, and has what either of its files has. */
export function overviewOf({ store }: UploadQueue) {
  const count = (...args: Parameters<typeof store.photosIn>) => store.photosIn(...args).length
  const arrivedNames: StateName[] = ['processing', ...DONE, ...PROBLEMS, 'deleted']
  const photos = count([...arrivedNames, ...UNSENT])
  const unsent = count(UNSENT)
  const processing = count(['processing'])
  const total = store.bytes([...arrivedNames, ...UNSENT])
  const sent = store.bytes(arrivedNames) + store.sentOfUnfinished
  /** 0 to 100, whole: by bytes until all files are sent, then by photos whose processing has ended. */
  const percent = unsent > 0 ? Math.min(percentOf(sent, total), 99) : percentOf(photos - processing, photos)
  return {
    ...{ photos, unsent, processing, percent },
    /** They need no more sending: stored, duplicates, or ended with a problem. */
    arrived: photos - unsent,
    done: count(DONE, UNDONE),
    /** Of those that are done, all but duplicates. */
    ready: count(['ready'], UNDONE),
    problems: count(PROBLEMS),
    /** Of the problems, those that the server does not have. */
    notStored: count(NOT_STORED),
    active: store.count(ACTIVE) > 0,
  }
}

function percentOf(part: number, whole: number): number {
  return whole === 0 ? 100 : Math.floor((part / whole) * 100)
}

export function headline(queue: UploadQueue, now: Overview): string {
  if (queue.hold === 'connection') return 'Waiting for the connection'
  if (queue.hold === 'busy') return 'The server is busy. Trying again soon'
  if (queue.hold === 'signed-out') return 'Your session has ended'
  if (isChecking(queue, now)) return `Checking ${countOf(now.photos, 'photo')}`
  if (now.unsent > 0) return now.photos === 1 ? 'Uploading 1 photo' : `Uploading ${counter(now)}`
  if (now.processing > 0) return `Processing ${countOf(now.processing, 'photo')}`
  if (now.problems > 0) {
    return now.done === 0 ? attentionSentence(now.problems) : resultSentence(now.ready, now.photos, now.problems)
  }
  return hasOnlyKnown(now) ? knownSentence(now.done) : 'Upload finished'
}

const isChecking = ({ store }: UploadQueue, { unsent }: Overview) => unsent > 0 && store.count(SENDABLE) === 0

/** '12 of 73' */
const counter = ({ arrived, photos }: Overview) => `${formatNumber(arrived)} of ${formatNumber(photos)}`

const hasOnlyKnown = ({ done, ready }: Pick<Overview, 'done' | 'ready'>) => done > 0 && ready === 0

const knownSentence = (count: number) =>
  `You already have ${count === 1 ? 'this photo' : `these ${countOf(count, 'photo')}`}`

/** '12 of 22 uploaded, 9 need attention'. */
function resultSentence(uploaded: number, photos: number, problems: number): string {
  const rest = `${formatNumber(problems)} ${need(problems)} attention`
  return `${formatNumber(uploaded)} of ${formatNumber(photos)} uploaded, ${rest}`
}

const attentionSentence = (problems: number) => `${countOf(problems, 'photo')} ${need(problems)} your attention`

const need = (count: number) => (count === 1 ? 'needs' : 'need')

/** '2.31 MB/s · about 12 minutes left', or '12 of 73' where the headline says what sending waits for. */
export function details(queue: UploadQueue, now: Overview): string {
  if (!now.active && now.problems > 0) {
    const known = now.done - now.ready
    return known === 0 ? '' : `${formatNumber(known)} already in your photos`
  }
  if (!now.active)
    return hasOnlyKnown(now) ? '' : `${formatNumber(now.done)} of ${formatNumber(now.photos)} in your photos`
  if (now.unsent === 0) {
    const [stored, notStored] = [formatNumber(now.photos - now.notStored), formatNumber(now.notStored)]
    const safe = now.notStored === 0 ? 'Stored safely.' : `${stored} stored, ${notStored} not.`
    return `${safe} Reading place and date, making previews`
  }
  const { hold, speed, secondsLeft } = queue
  if (hold === 'connection') return `${counter(now)} · continues by itself`
  if (hold === 'signed-out') return `${counter(now)} · continues when you log in`
  if (hold !== null) return counter(now)
  return secondsLeft === null ? '' : `${formatBytes(Math.round(speed ?? 0))}/s · ${timeLeft(secondsLeft)}`
}

/** What the user can do meanwhile. */
export function advice({ hold, store }: UploadQueue, { unsent, processing, notStored }: Overview): string {
  const retryable = store.count(RETRYABLE)
  if (hold === 'signed-out') return 'Nothing is lost while this page is open. Log in, and the upload continues.'
  if (hold === 'connection') return 'Keep this page open: the upload continues as soon as the connection is back.'
  if (hold === 'busy') return 'Keep this page open: the upload continues as soon as the server is free.'
  if (unsent > 0)
    return 'You can hide this and keep working. If the upload is interrupted, choose the same files again: only what is missing is sent.'
  if (notStored > 0 && retryable > 0) return 'Files that are not stored stay in this list while the page is open.'
  if (processing > 0 && notStored === 0) return 'Your photos are stored safely. You can close this page.'
  return ''
}

/** 'about 12 minutes left'; rough, because the estimate is. */
export function timeLeft(seconds: number): string {
  if (seconds < 10) return 'a few seconds left'
  if (seconds < 55) return `about ${Math.ceil(seconds / 10) * 10} seconds left`
  const minutes = Math.max(Math.round(seconds / 60), 1)
  if (minutes < 60) return `about ${countOf(minutes, 'minute')} left`
  const tens = Math.round(minutes / 10)
  const hours = countOf(Math.floor(tens / 6), 'hour')
  return tens % 6 === 0 ? `about ${hours} left` : `about ${hours} ${(tens % 6) * 10} minutes left`
}

/** The announcement for screen readers: only changes of the state and every quarter of progress. */
export function announcement(queue: UploadQueue, now: Overview): string {
  const line = headline(queue, now)
  if (now.unsent === 0 || queue.hold !== null) return now.active || now.problems > 0 || hasOnlyKnown(now) ? line : ''
  const work = isChecking(queue, now) ? line : `Uploading ${countOf(now.photos, 'photo')}`
  return `${work}, ${Math.floor(now.percent / 25) * 25} percent`
}

/** More sentences do not fit into a toast; the list of files shows all. */
const MAX_ISSUES = 5

/** The toast when the upload of these files has ended; null when there is nothing to say. */
export function finishToast(items: readonly Item[]): ToastContent | null {
  const photos = photosOf(items, nameInUpload)
  const problems = items.filter(({ state }) => 'reason' in state)
  if (!isAnyIn(items, DONE)) return problems.length === 0 ? null : failureToast(problems, photos.length)
  const done = photos.filter((files) => isAnyIn(files, DONE) && !isAnyIn(files, PROBLEMS))
  const attention = photos.filter((files) => isAnyIn(files, PROBLEMS)).length
  // Files of pairs whose other files have arrived.
  if (done.length === 0) {
    return { title: attentionSentence(attention), description: joinSentences(groupReasons(problems)), tone: 'neutral' }
  }
  const ready = done.filter((files) => isAnyIn(files, ['ready'])).length
  const known = done.length - ready
  const before = known === 0 ? '' : `${formatNumber(known)} ${known === 1 ? 'was' : 'were'} already there.`
  if (attention > 0) {
    return { title: resultSentence(ready, photos.length, attention), description: before, tone: 'neutral' }
  }
  if (ready === 0) return { title: knownSentence(known), tone: 'neutral' }
  const uploaded = ready === 1 ? 'Your photo has' : `${ready} photos have`
  return {
    title: 'Upload successful',
    description: `${uploaded} been uploaded and processed. ${before}`.trim(),
    tone: 'good',
  }
}

/**
 * What to do on this device when no uploaded photo has a location; null where photo pickers keep it, and its absence is the camera's doing.
 * Safari on an iPad calls itself one on a Mac.
 */
export function locationHint({
  userAgent,
  maxTouchPoints,
}: Pick<Navigator, 'userAgent' | 'maxTouchPoints'>): string | null {
  if (userAgent.includes('Android'))
    return "No photo has a location: Android's photo picker may leave it out. To keep it, choose Browse in the picker's menu (⋮), or upload from a computer."
  const isIos = /iPhone|iPad/.test(userAgent) || (userAgent.includes('Macintosh') && maxTouchPoints > 1)
  return isIos ? 'No photo has a location. To keep it, tap Options in the photo picker and turn on Location.' : null
}

/** None of the files has become a usable photo. */
function failureToast(problems: readonly Item[], chosen: number): ToastContent {
  const kinds = groupReasons(problems)
  const [description] = kinds
  if (kinds.length === 1 && (description === ERROR_TEXTS.unreadable || description === ERROR_TEXTS.network)) {
    const title = description === ERROR_TEXTS.network ? 'Upload failed' : 'Upload error'
    return { title, description, tone: 'danger' }
  }
  if (problems.every(({ state }) => state.name === 'unprocessed')) {
    const photos = photosOf(problems, nameInUpload).length
    const stored = photos === 1 ? 'The photo is' : `${formatNumber(photos)} photos are`
    const description = `${stored} stored but could not be processed: ${joinSentences(kinds)}`
    return { title: 'Processing failed', description, tone: 'danger' }
  }
  const message = chosen === 1 ? 'Failed to upload photo' : 'Failed to upload photos'
  return { title: 'Upload failed', description: joinSentences([message, ...kinds]), tone: 'danger' }
}

/** The distinct reasons; those that differ only in the file's name count as one. */
function groupReasons(problems: readonly Item[]): string[] {
  const reasonOf = ({ state }: Item) => ('reason' in state ? state.reason : '')
  const kinds = Map.groupBy(problems, (item) => reasonOf(item).replaceAll(item.file.name, ''))
  return [...kinds].map(([key, items]) => {
    const reason = reasonOf(items[0] as Item)
    if (key === reason || items.length === 1) return reason
    return `${withoutFullStop(reason)} (${countOf(items.length - 1, 'other')} likewise)${fullStopOf(reason)}`
  })
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

/** The session has ended during the upload: nothing is lost. */
export function sessionToast(hasUnsent: boolean): ToastContent {
  const paused = 'Your session has ended. Log in to continue; nothing is lost while this page is open.'
  return hasUnsent
    ? { title: 'Upload paused', description: paused, tone: 'danger' }
    : { title: 'Your session has ended', description: 'Your photos are stored safely.', tone: 'danger' }
}

/** Says that chosen files may not fit; null when there is room for all. `uploading`: bytes that are reserved for uploads. */
export function roomSentence(quota: StorageQuota, uploading: number, chosenBytes: number): string | null {
  const left = bytesLeft(withUploads(quota, uploading))
  if (left > 0 && chosenBytes <= left) return null
  if (left > 0) {
    const free = uploading > 0 ? 'that you already have, or whose upload has begun,' : 'that you already have'
    return `These photos take ${formatBytes(chosenBytes)}, more than the ${formatBytes(left)} that are left. What does not fit is not sent; photos ${free} take nothing.`
  }
  return bytesLeft(quota) === 0
    ? 'Your storage is full. Delete photos to upload more.'
    : 'Unfinished uploads take the rest of your storage. Finish or discard them, or delete photos, to upload more.'
}
