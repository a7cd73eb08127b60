import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router-dom'
import { api } from '../api/client.ts'
import { userQuery } from '../api/queries.ts'
import type { User } from '../api/types.ts'
import { toast } from '../components/ui/toast.tsx'
import { errorMessage } from '../lib/http.ts'
import { mayLeave } from '../lib/leave-guard.ts'
import { FLIGHT_SHIFTS, remember } from '../lib/remember.ts'
import { forgetLastStore } from '../photos/printing.ts'

/** Signs out, clears the cache, and goes to /auth. */
export function useLogout() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    /** False when the user decides to stay because of unfinished work. */
    mutationFn: async () => {
      if (!(await mayLeave())) return false
      await api('post', '/api/logout', {})
      return true
    },
    onSuccess: async (left) => {
      if (!left) return
      await navigate('/auth')
      const user = client.getQueryData(userQuery.queryKey)
      if (user) forgetLastStore(user.id)
      remember(FLIGHT_SHIFTS, null, 'sessionStorage')
      client.clear()
      client.setQueryData(userQuery.queryKey, null)
      toast({ title: 'Logged out', description: 'You have been successfully logged out.' })
    },
    onError: (error) => toast({ title: 'Logout failed', description: errorMessage(error), tone: 'danger' }),
  })
}

/** Initials of first and last name, else the first two letters of the username, else U. */
export function initialsOf(user: Pick<User, 'firstName' | 'lastName' | 'username'>): string {
  const names = `${user.firstName?.trim().charAt(0) ?? ''}${user.lastName?.trim().charAt(0) ?? ''}`
  return (names || user.username.slice(0, 2) || 'U').toUpperCase()
}
