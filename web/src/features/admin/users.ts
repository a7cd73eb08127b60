import { useQueryClient } from '@tanstack/react-query'
import { restoreUser, USER_COUNT_LIMIT } from '../../api/admin.ts'
import type { ManagedUser } from '../../api/types.ts'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { countOf } from '../../lib/format.ts'
import { useAdminMutation } from './admin-parts.tsx'

const DAY = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' })
const DAY_AND_YEAR = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric' })

/** 'Jun 21', and with the year in other years. */
export function shortDay(iso: string, now = new Date()): string {
  const date = new Date(iso)
  return (date.getFullYear() === now.getFullYear() ? DAY : DAY_AND_YEAR).format(date)
}

/** 'Jun 21, 2025'. */
export function dayOf(iso: string): string {
  return DAY_AND_YEAR.format(new Date(iso))
}

/** First and last name; null without both. */
export function fullName({ firstName, lastName }: Pick<ManagedUser, 'firstName' | 'lastName'>): string | null {
  return [firstName, lastName].filter(Boolean).join(' ') || null
}

/** A deletion that can no longer be revoked: its time has passed. */
export function isErasing({ deletesAt }: Pick<ManagedUser, 'deletesAt'>, now = Date.now()): boolean {
  return deletesAt !== null && Date.parse(deletesAt) <= now
}

/** What is special about a user, for badges. */
export function badgesOf({ isAdmin, disabled, deletesAt }: ManagedUser, now = new Date()) {
  const badges: { text: string; tone: 'accent' | 'neutral' | 'danger' }[] = []
  if (isAdmin) badges.push({ text: 'Admin', tone: 'accent' })
  if (disabled) badges.push({ text: 'Disabled', tone: 'neutral' })
  if (deletesAt) {
    const erasing = isErasing({ deletesAt }, now.getTime())
    badges.push({ text: erasing ? 'Being erased' : `Deletion on ${shortDay(deletesAt, now)}`, tone: 'danger' })
  }
  return badges
}

/** '250 users', '12 users found'; a search that finds very many is not counted to the end. */
export function describeCount(total: number, filtered: boolean, searched: boolean): string {
  if (!filtered) return countOf(total, 'user')
  if (searched && total > USER_COUNT_LIMIT) return `More than ${countOf(USER_COUNT_LIMIT, 'user')} found`
  return `${countOf(total, 'user')} found`
}

export function useRestoreUser({ id, username }: Pick<ManagedUser, 'id' | 'username'>) {
  const client = useQueryClient()
  return useAdminMutation({
    run: () => restoreUser(client, id),
    onSuccess: () => toast({ title: 'Deletion revoked', description: `The account of ${username} stays.` }),
    onError: (error) => toastFailure('Failed to revoke the deletion', error),
  })
}
