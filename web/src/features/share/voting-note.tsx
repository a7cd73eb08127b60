import { useIsMutating } from '@tanstack/react-query'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import type { Share, User } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { UNREACHABLE } from '../../lib/http.ts'
import type { SignInState } from '../../lib/routing.ts'
import { isEmbedded } from '../../lib/served-page.ts'
import { invitationKey, showsStandings, votingTexts } from './voting-texts.ts'

const StandingsDialog = lazyComponent(() => import('./standings-dialog.tsx').then((code) => code.StandingsDialog), {
  onFailure: ({ onClose }) => {
    toast({ title: 'Standings could not be opened', description: UNREACHABLE, tone: 'danger' })
    onClose()
  },
})

const ACTION =
  'relative inline-flex font-semibold text-accent hover:underline after:absolute after:-inset-x-1 after:-inset-y-2.5'

interface VotingNoteProps {
  share: Share
  user: User | null | undefined
  shareCode: string
  fingerprint: string
}

/** In the panel of the voter's ranks: when one votes, as whom, who sees it, and what is shown of the standings. */
export function VotingNote({ share, user, shareCode, fingerprint }: VotingNoteProps) {
  const { folder } = share
  const note = useNoteHeight()
  const isChecking = useIsMutating({ mutationKey: invitationKey(shareCode) }) > 0
  const { state, voter, lacks } = votingTexts(share, user)
  const [isOpen, setOpen] = useState(false)
  // The server has the last word: they are offered again when what it decides by has changed.
  const hasVoted = Object.keys(share.voteCounts).length > 0
  const basis = [folder.show, folder.phase, hasVoted].join()
  const [hiddenAt, setHiddenAt] = useState('')
  const hasStandings = showsStandings(folder, hasVoted) && hiddenAt !== basis
  return (
    <div ref={note} className="flex min-w-0 flex-wrap items-baseline gap-x-2.5 text-sm">
      <p role="status" className="text-muted empty:absolute">
        {state.map((sentence, index) => (
          <span key={sentence} className={index === 0 && state.length > 1 ? 'font-semibold text-text' : undefined}>
            {`${sentence} `}
          </span>
        ))}
        {voter && <span className="font-semibold wrap-anywhere text-text">{voter}</span>}
        {isChecking && <span>Checking your invitation…</span>}
      </p>
      {lacks === 'invitation' && !isChecking && <NeedsInvitation shareCode={shareCode} />}
      {lacks === 'user' && (
        <Elsewhere to="/auth" state={{ from: `/share/${shareCode}` }} shareCode={shareCode}>
          Log in to vote
        </Elsewhere>
      )}
      {folder.openBallot && (
        <p className="rounded-sm bg-warn-soft px-1.5 font-semibold text-warn">The owner sees who voted for what</p>
      )}
      {hasStandings && (
        <button type="button" onClick={() => setOpen(true)} className={ACTION}>
          Standings
        </button>
      )}
      {folder.resultsPublic && (
        <Elsewhere to={`/share/${shareCode}/results`} shareCode={shareCode}>
          See the results
        </Elsewhere>
      )}
      {voter && !folder.openBallot && <SecretBallot />}
      {isOpen && hasStandings && (
        <StandingsDialog
          shareCode={shareCode}
          fingerprint={fingerprint}
          photos={share.photos}
          onHidden={() => {
            setOpen(false)
            setHiddenAt(basis)
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  )
}

/** Folded: a panel that stays in view has no room for it. */
function SecretBallot() {
  return (
    <details className="open:basis-full">
      <summary className="relative w-fit cursor-pointer font-semibold text-accent hover:underline after:absolute after:-inset-x-1 after:-inset-y-2.5">
        Who sees my vote?
      </summary>
      <p className="py-1 text-pretty">
        The owner sees that you voted, not your choices. Whoever has your invitation link can see and change them.
      </p>
    </details>
  )
}

function NeedsInvitation({ shareCode }: { shareCode: string }) {
  return (
    <p className="text-pretty">
      <span>You need an invitation link to vote here.</span>{' '}
      {isEmbedded && (
        <a href={`/share/${shareCode}`} target="_blank" rel="noopener" className={ACTION}>
          Open the voting page
        </a>
      )}
    </p>
  )
}

interface ElsewhereProps {
  to: string
  state?: SignInState
  shareCode: string
  children: ReactNode
}

/** A link to another screen. A frame of another site shows none: there it opens the voting page, or the results, in a new tab. */
function Elsewhere({ to, state, shareCode, children }: ElsewhereProps) {
  if (isEmbedded) {
    return (
      <a href={state ? `/share/${shareCode}` : to} target="_blank" rel="noopener" className={ACTION}>
        {children}
      </a>
    )
  }
  return (
    <Link to={to} state={state} className={ACTION}>
      {children}
    </Link>
  )
}

/** What the note adds to the panel's height: `--note` keeps the page's end, toasts and the focused photo clear of it. */
function useNoteHeight() {
  const note = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { style } = document.documentElement
    const observer = new ResizeObserver(() => style.setProperty('--note', `${note.current?.offsetHeight ?? 0}px`))
    if (note.current) observer.observe(note.current)
    return () => {
      observer.disconnect()
      style.removeProperty('--note')
    }
  }, [])
  return note
}
