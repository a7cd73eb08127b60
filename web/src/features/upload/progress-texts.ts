import { countOf, formatBytes, formatNumber } from '../../lib/format.ts'
import { ACTIVE, DONE, NOT_STORED, PROBLEMS, RETRYABLE, SENDABLE, UNSENT } from './queue/states.ts'
import type { UploadQueue } from './queue/upload-queue.ts'

/** Totals of the whole queue. */
export interface Overview {
  files: number
  /** Files that need no more sending: stored, duplicates, or ended with a problem. */
  arrived: number
  unsent: number
  processing: number
  done: number
  problems: number
  /** Of the problems, the files that the server does not have. */
  notStored: number
  /** 0 to 100, whole: by bytes until all files are sent, then by photos whose processing has ended. */
  percent: number
  active: boolean
}

export function overviewOf({ store }: UploadQueue): Overview {
  const unsent = store.count(UNSENT)
  const arrivedNames = ['processing', ...DONE, ...PROBLEMS, 'deleted'] as const
  const arrived = store.count(arrivedNames)
  const total = store.bytes([...arrivedNames, ...UNSENT])
  const sent = store.bytes(arrivedNames) + store.sentOfUnfinished
  const files = arrived + unsent
  const processing = store.count(['processing'])
  return {
    files,
    arrived,
    unsent,
    processing,
    done: store.count(DONE),
    problems: store.count(PROBLEMS),
    notStored: store.count(NOT_STORED),
    percent: unsent > 0 ? Math.min(percentOf(sent, total), 99) : percentOf(files - processing, files),
    active: store.count(ACTIVE) > 0,
  }
}

function percentOf(part: number, whole: number): number {
  return whole === 0 ? 100 : Math.floor((part / whole) * 100)
}

/** The state of the upload in one line. */
export function headline(queue: UploadQueue, now: Overview): string {
  if (queue.hold === 'connection') return 'Waiting for the connection'
  if (queue.hold === 'busy') return 'The server is busy. Trying again soon'
  if (queue.hold === 'signed-out') return 'Your session has ended'
  if (now.unsent > 0) {
    const checking = queue.store.count(SENDABLE) === 0
    return checking ? `Checking ${countOf(now.files, 'photo')}` : `Uploading ${countOf(now.files, 'photo')}`
  }
  if (now.processing > 0) return `Processing ${countOf(now.processing, 'photo')}`
  if (now.problems > 0) {
    const need = now.problems === 1 ? 'needs' : 'need'
    if (now.done === 0) return `${countOf(now.problems, 'photo')} ${need} your attention`
    return resultSentence(queue.store.count(['ready']), now.files, now.problems)
  }
  return 'Upload finished'
}

/** '12 of 22 uploaded, 9 need attention'. */
export function resultSentence(uploaded: number, files: number, problems: number): string {
  const need = `${formatNumber(problems)} ${problems === 1 ? 'needs' : 'need'} attention`
  return `${formatNumber(uploaded)} of ${formatNumber(files)} uploaded, ${need}`
}

/** '120 of 500 · 2.31 MB/s · about 12 min left'; only the known parts. */
export function details(queue: UploadQueue, now: Overview): string {
  if (!now.active && now.problems > 0) {
    const known = queue.store.count(['known'])
    return known === 0 ? '' : `${formatNumber(known)} already in your photos`
  }
  if (!now.active) return `${formatNumber(now.done)} of ${formatNumber(now.files)} in your photos`
  if (now.unsent === 0) return `${storedSentence(now)} Reading place and date, making previews`
  const parts = [`${formatNumber(now.arrived)} of ${formatNumber(now.files)}`]
  const speed = queue.speed
  if (speed !== null && speed > 0) {
    const left = (queue.store.bytes(UNSENT) - queue.store.sentOfUnfinished) / speed
    parts.push(`${formatBytes(Math.round(speed))}/s`, timeLeft(left))
  }
  if (queue.hold === 'connection') parts.push('continues by itself')
  if (queue.hold === 'signed-out') parts.push('continues when you log in')
  return parts.join(' · ')
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

/** What has arrived, when nothing is being sent any more. */
function storedSentence({ processing, done, notStored }: Overview): string {
  if (notStored === 0) return 'Stored safely.'
  return `${formatNumber(processing + done)} stored, ${formatNumber(notStored)} not.`
}

/** 'about 12 min left'; rough, because the estimate is. */
export function timeLeft(seconds: number): string {
  if (seconds < 10) return 'a few seconds left'
  if (seconds < 55) return `about ${Math.ceil(seconds / 10) * 10} s left`
  const minutes = Math.max(Math.round(seconds / 60), 1)
  if (minutes < 60) return `about ${minutes} min left`
  const hours = Math.floor(minutes / 60)
  // Ten-minute steps.
  const rest = Math.round((minutes % 60) / 10) * 10
  if (rest === 60) return `about ${hours + 1} h left`
  return rest === 0 ? `about ${hours} h left` : `about ${hours} h ${rest} min left`
}

/** The announcement for screen readers: only changes of the state and every quarter of progress. */
export function announcement(queue: UploadQueue, now: Overview): string {
  const line = headline(queue, now)
  if (now.unsent === 0 || queue.hold !== null) return now.active || now.problems > 0 ? line : ''
  return `${line}, ${Math.floor(now.percent / 25) * 25} percent`
}
