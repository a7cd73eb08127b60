import { request } from '../lib/http.ts'

/** What becomes of the account. */
export interface RequestedDeletion {
  /** When the deletion begins and can no longer be taken back. */
  deletesAt: string
}

/** Requests the deletion of the own account; all its sessions end. */
export function deleteAccount(password: string): Promise<RequestedDeletion> {
  return request<RequestedDeletion>('/api/user', { method: 'DELETE', body: { password } })
}

/** Takes the deletion back; the session is a full one from then on. */
export function restoreAccount(): Promise<void> {
  return request<void>('/api/user/restore', { method: 'POST' })
}
