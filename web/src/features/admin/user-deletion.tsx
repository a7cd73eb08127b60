import { useQuery } from '@tanstack/react-query'
import { Trash2, Undo2 } from 'lucide-react'
import { useId, useState } from 'react'
import { configQuery } from '../../api/queries.ts'
import type { ManagedUser } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { countOf, formatDateTime } from '../../lib/format.ts'
import { useDeleteUser, useRestoreUser } from './user-changes.ts'
import { fullName, isErasing } from './user-texts.ts'

interface UserDeletionProps {
  user: ManagedUser
  own: boolean
  /** The account is being erased: there is nothing left to edit. */
  onErasing: () => void
}

/** Requests the deletion of the account, and revokes it until it becomes final. */
export function UserDeletion({ user, own, onErasing }: UserDeletionProps) {
  const id = useId()
  const [asking, setAsking] = useState(false)
  const remove = useDeleteUser(user, onErasing)
  const restore = useRestoreUser(user)
  const busy = remove.isPending || restore.isPending
  const requested = user.deletesAt !== null

  function press(): void {
    if (busy) return
    if (requested) restore.mutate()
    else setAsking(true)
  }

  function confirm(): void {
    setAsking(false)
    remove.mutate()
  }

  return (
    <section aria-labelledby={id} className="grid gap-2 border-t border-line pt-5">
      <h3 id={id} className="font-semibold">
        Deletion
      </h3>
      <p role={requested ? 'status' : undefined} className="text-sm text-pretty text-muted">
        {describeDeletion(user)}
      </p>
      {!isErasing(user) && (
        // One button for both, so that it keeps the focus.
        <Button
          size="small"
          className="justify-self-start max-sm:w-full"
          aria-disabled={busy}
          aria-busy={busy}
          onClick={press}
        >
          {requested ? <Undo2 aria-hidden /> : <Trash2 aria-hidden className="text-danger" />}
          {requested ? 'Revoke deletion' : <span className="text-danger">Delete account</span>}
        </Button>
      )}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={own ? 'Delete your own account?' : `Delete the account of ${user.username}?`}
        description={<Consequences user={user} own={own} />}
        confirmLabel="Delete account"
        danger
        onConfirm={confirm}
      />
    </section>
  )
}

function describeDeletion(user: ManagedUser): string {
  const { deletesAt, deletionByAdmin } = user
  if (deletesAt === null) return 'Erases the account with all its photos, folders, votes received and orders.'
  if (isErasing(user)) return 'The account is being erased. Nothing of it can be changed or taken back.'
  const who = deletionByAdmin ? 'An administrator' : 'The user'
  return `${who} requested the deletion. The account is erased on ${formatDateTime(deletesAt)}; until then it can be revoked.`
}

function Consequences({ user, own }: Pick<UserDeletionProps, 'user' | 'own'>) {
  const days = useQuery(configQuery).data?.accounts.deletionDays
  const name = fullName(user)
  const who = name ? `${name} (${user.username})` : user.username
  return (
    <>
      <span className="block">
        {own ? 'You are' : `${who} is`} signed out at once, and public folders can no longer be opened by their links.
      </span>
      <span className="mt-2 block font-semibold text-text">{describeEnd(days)}</span>
      <span className="mt-2 block">
        Then {user.photoCount > 0 && `${countOf(user.photoCount, 'photo')}, `}all folders, the votes they received and
        all print orders are erased. Nothing can be taken back from that moment on.
      </span>
    </>
  )
}

/** When the deletion becomes final. */
function describeEnd(days: number | undefined, now = Date.now()): string {
  if (days === undefined) return 'The deletion becomes final when the time for revoking it has passed.'
  if (days === 0) return 'The deletion becomes final immediately: it cannot be revoked.'
  const end = formatDateTime(new Date(now + days * 86_400_000).toISOString())
  return `The deletion becomes final in ${countOf(days, 'day')}, on ${end}. Until then it can be revoked.`
}
