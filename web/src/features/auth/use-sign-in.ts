import { type Query, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { configQuery, userQuery } from '../../api/queries.ts'
import type { User } from '../../api/types.ts'
import { toast } from '../../components/ui/toast.tsx'
import { errorMessage } from '../../lib/http.ts'
import type { LoginValues, RegisterValues } from './schemas.ts'

/** Sets the user and clears what was cached for another one. The user who resumes keeps the screen, which reads again. */
function useStartSession(resumes?: number) {
  const client = useQueryClient()
  const kept: unknown[] = [userQuery.queryKey[0], configQuery.queryKey[0]]
  const others = { predicate: ({ queryKey }: Query) => !kept.includes(queryKey[0]) }
  return (user: User) => {
    if (user.id !== resumes) client.removeQueries(others)
    client.setQueryData(userQuery.queryKey, user)
    if (user.id === resumes) void client.invalidateQueries(others)
  }
}

/** `resumes`: the user whose screen is still there. */
export function useLogin(resumes?: number) {
  const enter = useStartSession(resumes)
  return useMutation({
    mutationFn: ({ rememberMe, ...body }: LoginValues) =>
      api('post', '/api/login', { body, headers: { 'x-remember-me': String(rememberMe) } }),
    onSuccess: (user) => {
      enter(user)
      // The screen of a deletion says what matters.
      if (user.deletesAt) return
      toast({ title: 'Login successful', description: `Welcome back, ${user.username}!` })
    },
    onError: (error) => toast({ title: 'Login failed', description: errorMessage(error), tone: 'danger' }),
  })
}

export function useRegister() {
  const enter = useStartSession()
  const { data: config } = useQuery(configQuery)
  return useMutation({
    mutationFn: ({ terms: _, ...body }: RegisterValues) => api('post', '/api/register', { body }),
    onSuccess: (user) => {
      enter(user)
      const note = user.email && config?.mail.available ? `We sent a link to ${user.email} to confirm it.` : undefined
      toast({ title: 'Registration successful', description: `Welcome, ${user.username}!`, note })
    },
    onError: (error) => toast({ title: 'Registration failed', description: errorMessage(error), tone: 'danger' }),
  })
}
