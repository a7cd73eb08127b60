import type { AccountExport } from '../../api/types.ts'

/** What the section shows. An archive that expired while the page was open is no longer there. */
export function exportStateOf(known: AccountExport, now: number): AccountExport['status'] {
  const { status, url, expiresAt } = known
  if (status !== 'ready') return status
  return url !== null && (expiresAt === null || Date.parse(expiresAt) > now) ? 'ready' : 'none'
}

/** 0 to 100; 0 while the amount of work is not known. */
export function percentDone(progress: AccountExport['progress']): number {
  if (!progress || progress.total <= 0) return 0
  return Math.min(100, Math.floor((progress.done / progress.total) * 100))
}
