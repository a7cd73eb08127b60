import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'
import type { AccountExport, AccountSettings, User } from './types.ts'

/** What the user may change of the own account; an empty name or address is removed. */
export type ProfileChanges = Partial<
  Pick<User, 'firstName' | 'lastName' | 'email' | 'publicByDefault' | 'emailNotifications'>
>

/** Saves the given fields; the others stay. */
export function saveProfile(changes: ProfileChanges): Promise<User> {
  return api('put', '/api/user', { body: changes })
}

/** The totals of the user's photos. They follow a change of the photos within a second. */
export const statisticsQuery = queryOptions({
  queryKey: ['account-statistics'],
  queryFn: ({ signal }) => api('get', '/api/user/statistics', { signal }),
  refetchOnMount: 'always',
})

/** The user's storage by folder and by year, and the quota. */
export const storageQuery = queryOptions({
  queryKey: ['storage'],
  queryFn: ({ signal }) => api('get', '/api/photos/storage', { signal }),
  refetchOnMount: 'always',
})

/** Saves the given settings; the others stay. Returns all. */
export function saveSettings(changes: Partial<AccountSettings>): Promise<AccountSettings> {
  return api('put', '/api/user/settings', { body: changes })
}

/** Changes the password; all other sessions end. */
export async function changePassword(values: {
  currentPassword: string
  newPassword: string
  confirmPassword: string
}): Promise<void> {
  await api('post', '/api/user/password', { body: values })
}

/** The user's sessions, last used first. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => api('get', '/api/user/sessions', { signal }),
  refetchOnMount: 'always',
})

export async function endSession(id: string): Promise<void> {
  await api('delete', '/api/user/sessions/{id}', { path: { id: id } })
}

/** Ends all sessions of the user but this one. */
export async function endOtherSessions(): Promise<void> {
  await api('delete', '/api/user/sessions', {})
}

/** Sends the mail that confirms the user's address again. */
export async function sendConfirmationMail(): Promise<void> {
  await api('post', '/api/user/email/confirmation', {})
}

/** Confirms an address by the token of its mail. A changed address also needs the account's password. */
export async function confirmEmail(values: { token: string; password?: string }): Promise<void> {
  await api('post', '/api/user/email/confirm', { body: values })
}

/** Restores the former address by the token of the notice; the account's sessions end. */
export async function revertEmail(token: string): Promise<void> {
  await api('post', '/api/user/email/revert', { body: { token } })
}

/** Asks for a mail with a link to set a new password. The response does not tell whether there is such an account. */
export async function requestPasswordReset(email: string): Promise<void> {
  await api('post', '/api/password-reset', { body: { email } })
}

/** Sets a new password by the token of the mail; all sessions of the account end. */
export async function resetPassword(values: {
  token: string
  password: string
  confirmPassword: string
}): Promise<void> {
  await api('post', '/api/password-reset/confirm', { body: values })
}

/** Confirms the user's own password, which what administrators change for others needs from time to time. */
export async function confirmPassword(password: string): Promise<void> {
  await api('post', '/api/user/confirm-password', { body: { password } })
}

/** What becomes of the account. */
export interface RequestedDeletion {
  /** When the deletion begins and can no longer be taken back. */
  deletesAt: string
}

/** Requests the deletion of the own account; all its sessions end. */
export function deleteAccount(password: string): Promise<RequestedDeletion> {
  return api('delete', '/api/user', { body: { password } })
}

/** Takes the deletion back; the session is a full one from then on. */
export async function restoreAccount(): Promise<void> {
  await api('post', '/api/user/restore', {})
}

const POLL_MS = 2_000

/** The user's export, polled while it is being prepared. */
export const exportQuery = queryOptions({
  queryKey: ['account-export'],
  queryFn: ({ signal }) => api('get', '/api/user/export', { signal }),
  refetchOnMount: 'always',
  // Photos that were deleted in another tab make it useless.
  refetchOnWindowFocus: 'always',
  refetchInterval: ({ state }) => (state.data?.status === 'preparing' ? POLL_MS : false),
})

/** Starts the preparation; `renew` replaces an export that could still be downloaded. */
export function prepareExport(renew: boolean): Promise<AccountExport> {
  return api('post', '/api/user/export', { body: renew ? { renew } : {} })
}
