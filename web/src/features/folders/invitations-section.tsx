import { useQuery } from '@tanstack/react-query'
import { Copy, Download, Mails, Printer, Trash2 } from 'lucide-react'
import { type FormEvent, useDeferredValue, useMemo, useState } from 'react'
import { contestQuery, invitationsQuery } from '../../api/contests.ts'
import type { Folder, Invitation } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { EmptyState, Loaded, LoadingState } from '../../components/ui/empty-state.tsx'
import { AlertText, Field, Textarea } from '../../components/ui/field.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { SearchInput } from '../../components/ui/search-input.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { useUnsavedEdits } from '../../components/unsaved-edits.tsx'
import { saveFile } from '../../lib/files.ts'
import { countOf, formatNumber } from '../../lib/format.ts'
import { errorMessage, isRetryable, UNREACHABLE } from '../../lib/http.ts'
import { formatMoment } from '../../lib/zoned-time.ts'
import { ConfirmButton } from './confirm-change.tsx'
import { useInvite, useWithdrawInvitation } from './contest-changes.ts'
import { invitationsCsv, type PastedNames, readNames } from './invitation-lists.ts'
import { copyLink } from './link-actions.ts'

const InvitationCards = lazyComponent(() => import('./invitation-cards.tsx').then((code) => code.InvitationCards), {
  onFailure: ({ onDone }) => {
    onDone()
    toast({ title: 'The cards could not be loaded', description: UNREACHABLE, tone: 'danger' })
  },
})

const linkOf = ({ url }: Invitation) => location.origin + url

/** Who is invited to vote, and who has voted. */
export function InvitationsSection({ folder }: { folder: Folder }) {
  const invitations = useQuery(invitationsQuery(folder.id))
  return (
    <section aria-labelledby="invitations" className="mt-10">
      <h2 id="invitations" tabIndex={-1} className="mb-1 scroll-mt-20 text-xl font-semibold outline-none">
        Invitations
      </h2>
      <p className="mb-3 max-w-2xl text-sm text-pretty text-muted">
        Each invitation is a link of its own, which counts once. It opens its voter’s ballot: give it only to that
        voter.
      </p>
      <InviteForm folderId={folder.id} invitations={invitations.data} />
      <Loaded query={invitations} loading={<ListSkeleton />} failure="Invitations could not be loaded">
        {(all) => <InvitationList folder={folder} invitations={all} />}
      </Loaded>
    </section>
  )
}

export function ListSkeleton() {
  return (
    <LoadingState label="Loading invitations" className="mt-6">
      <Skeleton className="h-60 rounded-lg" />
    </LoadingState>
  )
}

function InviteForm({ folderId, invitations }: { folderId: number; invitations: Invitation[] | undefined }) {
  const invite = useInvite(folderId)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | undefined>()
  const pasted = useMemo(() => readNames(text, invitations), [text, invitations])
  const unsaved = useUnsavedEdits(text.trim() !== '')

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (invite.isPending) return
    const wrong =
      pasted.names.length > 0
        ? pasted.problem
        : pasted.invited > 0
          ? 'All of these are invited'
          : 'Enter at least one name'
    setProblem(wrong ?? undefined)
    if (wrong) return
    invite.mutate(pasted.names, { onSuccess: () => setText('') })
  }

  return (
    <form noValidate aria-label="Invite" className="grid max-w-2xl gap-3" onSubmit={submit}>
      {unsaved.question}
      <Field
        label="Paste names or addresses, one per line"
        hint="Skyfolio mails nothing: send each link yourself, or print cards. Only you see the list; each voter sees only their own name."
        error={problem}
      >
        {(control) => (
          <Textarea
            {...control}
            value={text}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => {
              setText(target.value)
              setProblem(undefined)
            }}
          />
        )}
      </Field>
      {invite.error && <AlertText>{errorMessage(invite.error)}</AlertText>}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button variant="primary" type="submit" busy={invite.isPending}>
          {invite.error && isRetryable(invite.error) ? 'Retry' : 'Make invitations'}
        </Button>
        <p role="status" className="text-sm text-muted">
          {describePasted(pasted)}
        </p>
      </div>
    </form>
  )
}

function describePasted({ names, duplicates, invited }: PastedNames): string {
  if (names.length + invited === 0) return ''
  const left = [
    ...(duplicates > 0 ? [countOf(duplicates, 'duplicate')] : []),
    ...(invited > 0 ? [`${formatNumber(invited)} already invited`] : []),
  ]
  return countOf(names.length, 'name') + (left.length > 0 ? `, ${left.join(' and ')} left out` : '')
}

const FIRST_ROWS = 10
/** Rendering thousands of rows at once would make typing slow. */
const MORE_ROWS = 200

function InvitationList({ folder, invitations }: { folder: Folder; invitations: Invitation[] }) {
  const [search, setSearch] = useState('')
  const [count, setCount] = useState(FIRST_ROWS)
  const [printing, setPrinting] = useState(false)
  const closesAt = useQuery(contestQuery(folder.id)).data?.closesAt ?? null
  const wanted = useDeferredValue(search.trim().toLowerCase())
  const found = useMemo(
    () => invitations.filter(({ name }) => name.toLowerCase().includes(wanted)),
    [invitations, wanted],
  )
  if (invitations.length === 0) {
    return (
      <EmptyState
        icon={<Mails />}
        heading="h3"
        title="Nobody is invited yet"
        description="Until somebody is, nobody can vote."
      />
    )
  }
  const more = Math.min(MORE_ROWS, found.length - count)
  const all = countOf(found.length, 'invitation')
  const voted = invitations.filter(({ used }) => used).length
  return (
    <div className="mt-6">
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <p role="status" className="font-semibold">
          {`${formatNumber(voted)} of ${formatNumber(invitations.length)} have voted`}
        </p>
        <SearchInput
          aria-label="Search invitations by name"
          placeholder="Search by name"
          className="min-w-0 flex-1 basis-52"
          value={search}
          onChange={({ target }) => {
            setSearch(target.value)
            setCount(FIRST_ROWS)
          }}
        />
        <Button
          onClick={() => {
            const csv = new Blob([invitationsCsv(invitations, linkOf)], { type: 'text/csv;charset=utf-8' })
            saveFile(csv, `${folder.name} invitations.csv`)
          }}
        >
          <Download aria-hidden /> Download CSV
        </Button>
        <Button busy={printing} onClick={() => setPrinting(true)}>
          <Printer aria-hidden /> Print
        </Button>
      </div>
      {found.length === 0 && <p role="status">No name matches.</p>}
      <ul aria-label="Invitations" className="divide-y divide-line rounded-lg bg-surface shadow-low ring ring-line">
        {found.slice(0, count).map((invitation) => (
          <InvitationRow key={invitation.id} folderId={folder.id} invitation={invitation} />
        ))}
      </ul>
      {more > 0 && (
        <Button className="mt-3" onClick={() => setCount(count + more)}>
          {count + more === found.length ? `Show all ${all}` : `Show ${formatNumber(more)} more of ${all}`}
        </Button>
      )}
      {printing && (
        <InvitationCards
          title={folder.name}
          until={closesAt && `Vote until ${formatMoment(closesAt)}`}
          cards={invitations.map((invitation) => ({
            id: invitation.id,
            name: invitation.name,
            address: linkOf(invitation),
          }))}
          onDone={() => setPrinting(false)}
        />
      )}
    </div>
  )
}

function InvitationRow({ folderId, invitation }: { folderId: number; invitation: Invitation }) {
  const withdraw = useWithdrawInvitation(folderId, invitation)
  const { name, used } = invitation
  return (
    <li className="flex items-center gap-x-3 px-4 py-2">
      <span className="min-w-0 flex-1 wrap-anywhere">{name}</span>
      <Badge tone={used ? 'good' : 'neutral'}>{used ? 'Voted' : 'Not yet'}</Badge>
      <IconButton
        label={`Copy the link of ${name}`}
        icon={<Copy aria-hidden />}
        onClick={() => copyLink(linkOf(invitation))}
      />
      <ConfirmButton
        button={{
          variant: 'quiet',
          className: 'px-3',
          'aria-label': `Withdraw the invitation of ${name}`,
          title: 'Withdraw',
          children: <Trash2 aria-hidden />,
        }}
        change={withdraw}
        title={`Withdraw the invitation of ${name}?`}
        description={`Its link stops working at once${used ? ', and its ballot is removed. The change of the standings shows its choices' : ''}. This action cannot be undone.`}
        confirmLabel="Withdraw invitation"
        danger
        onConfirm={(options) => withdraw.mutate(undefined, options)}
      />
    </li>
  )
}
