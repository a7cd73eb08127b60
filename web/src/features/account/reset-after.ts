import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router-dom'
import { configQuery, userQuery } from '../../api/queries.ts'
import { toast } from '../../components/ui/toast.tsx'

/**
 * After the password was set: this browser may have been signed in to the account, so the user and all that was read is
 * read again. Leads to the login, or to the start page of another account that is signed in here.
 */
export function useAfterReset() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    await client.invalidateQueries({ queryKey: userQuery.queryKey })
    const kept = [userQuery.queryKey[0], configQuery.queryKey[0]]
    client.removeQueries({ predicate: ({ queryKey }) => !kept.some((key) => key === queryKey[0]) })
    await navigate('/auth', { replace: true })
    toast({ title: 'Password changed', description: 'Sign in with your new password.' })
  }
}
