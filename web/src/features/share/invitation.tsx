import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { linkKey } from '../../api/queries.ts'
import { acceptInvitation } from '../../api/shared-contest.ts'
import type { Share } from '../../api/types.ts'
import { FiguresFailure } from '../../components/figures.tsx'
import { hasCode, isRetryable } from '../../lib/http.ts'
import { invitationKey } from './voting-texts.ts'

const UNKNOWN =
  'This invitation is unknown or was withdrawn. You can look at the photos; to vote, ask the person who invited you for a new link.'
const OTHER_KEPT =
  'This invitation is unknown or was withdrawn. You still vote with the one that this browser opened before.'
const NOT_KEPT =
  'Your invitation is not in use: it was withdrawn, or your browser keeps no cookies of this site. Allow them and open its link again.'

/**
 * Exchanges the invitation in the address for the voter's cookie, and says why it could not. Its secret leaves the address
 * bar at once. Until it is exchanged, the entry of the tab's history keeps it: the page may be reloaded while somebody looks for the
 * password of the link.
 */
export function Invitation({ shareCode, share }: { shareCode: string; share: Share | null | undefined }) {
  const { hash, search, state } = useLocation()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [secret, setSecret] = useState<string | null>(() => secretIn(hash) ?? state?.invitation ?? null)
  const forget = () => navigate({ search: location.search }, { replace: true, state: null, preventScrollReset: true })

  useEffect(() => {
    const arrived = secretIn(hash)
    if (!arrived) return
    setSecret(arrived)
    navigate({ search }, { replace: true, state: { invitation: arrived } })
  }, [hash, search, navigate])

  const { mutate, error, isSuccess } = useMutation({
    mutationKey: invitationKey(shareCode),
    mutationFn: (invitation: string) => acceptInvitation(shareCode, invitation),
    onSuccess: async () => {
      // A response from before the exchange knows nothing of the invitation.
      await client.cancelQueries({ queryKey: linkKey(shareCode) })
      await client.invalidateQueries({ queryKey: linkKey(shareCode) })
    },
    onSettled: (_, failure) => (!failure || hasCode(failure, 'invitation_unknown')) && forget(),
  })
  const isLocked = share === null
  useEffect(() => {
    if (secret && !isLocked) mutate(secret)
  }, [secret, isLocked, mutate])

  const retry = () => secret && mutate(secret)
  if (hasCode(error, 'invitation_unknown')) return <Notice>{share?.invitation ? OTHER_KEPT : UNKNOWN}</Notice>
  if (isSuccess && share?.folder.voters === 'invited' && !share.invitation) return <Notice>{NOT_KEPT}</Notice>
  if (!error || !isRetryable(error)) return null
  return (
    <div className="page pt-4">
      <FiguresFailure query={{ error, refetch: retry }} what="Your invitation could not be checked." />
    </div>
  )
}

function Notice({ children }: { children: string }) {
  return (
    <div className="page pt-4">
      <p role="alert" className="rounded-md bg-warn-soft px-4 py-3 text-pretty text-warn">
        {children}
      </p>
    </div>
  )
}

function secretIn(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get('invitation')
}
