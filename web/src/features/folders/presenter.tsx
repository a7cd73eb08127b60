import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight, CircleHelp, Eye, EyeOff, LogOut, Maximize, Minimize, QrCode } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { contestQuery, presentedQuery } from '../../api/contests.ts'
import { useIsLive } from '../../api/live-events.ts'
import { folderQuery } from '../../api/queries.ts'
import type { Contest, Folder, Photo, Rank } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { PhotoImage } from '../../components/photo-image.tsx'
import { type Box, sourcesForBox } from '../../components/renditions.ts'
import { Badge, RANK_COLOURS, RANK_NAMES, RankMark } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { QueryFailure } from '../../components/ui/empty-state.tsx'
import { ScreenSpinner } from '../../components/ui/loading.tsx'
import { cx } from '../../lib/cx.ts'
import { altText, countOf, formatNumber } from '../../lib/format.ts'
import { hasStatus } from '../../lib/http.ts'
import { usePageTitle } from '../../lib/routing.ts'
import { useNow } from '../../lib/use-now.ts'
import { fading, useFullScreen, useIdle } from '../../photos/viewer/photo-frame.tsx'
import { announcePhase } from './contest-texts.ts'
import { FolderNotFound } from './folder-not-found.tsx'
import { addressOf } from './link-texts.ts'
import { useReorderMotion } from './reorder-motion.ts'
import { afterStep, announce, isShown, type Reveal, type Step, stepOf } from './reveal.ts'
import type { Tally } from './standings.ts'
import { PLACES } from './voting-texts.ts'

const QrPicture = lazyComponent(() => import('./qr-picture.tsx').then((code) => code.QrPicture), {
  failure: 'The QR code could not be made',
})

/** A folder's vote on a wall: its podium, which follows the votes or is revealed place by place. */
export function Presenter({ folderId }: { folderId: number }) {
  const folder = useQuery(folderQuery(folderId))
  const contest = useQuery(contestQuery(folderId))
  const presented = useQuery(presentedQuery(folderId))
  usePageTitle(folder.data?.name ?? 'Folder')
  const queries = [folder, contest, presented]
  if (queries.some(({ error }) => hasStatus(error, 404))) return <FolderNotFound />
  if (folder.data && contest.data && presented.data) {
    const { tallies, photos, ballots } = presented.data
    return (
      <Stage folder={folder.data} contest={contest.data} ballots={ballots ?? 0} winners={winnersOf(tallies, photos)} />
    )
  }
  const failed = queries.find(({ error, data }) => error && !data)
  if (!failed) return <ScreenSpinner />
  return <QueryFailure query={failed} heading="h1" title="The podium could not be loaded" />
}

interface Winner {
  photo: Photo
  points: number
}

/** A photo that was deleted a moment ago is in the standings still. */
function winnersOf(tallies: readonly Tally[], photos: readonly Photo[]): Winner[] {
  return tallies.slice(0, PLACES.length).flatMap(({ photoId, points }) => {
    const photo = photos.find(({ id }) => id === photoId)
    return photo ? [{ photo, points }] : []
  })
}

interface StageProps {
  folder: Folder
  contest: Contest
  ballots: number
  winners: Winner[]
}

function Stage({ folder, contest, ballots, winners }: StageProps) {
  const navigate = useNavigate()
  const screen = useFullScreen(true)
  const idle = useIdle(true)
  const live = useIsLive()
  const now = useNow()
  // A room that comes for the result does not see it before its time.
  const [reveal, setReveal] = useState<Reveal>(contest.phase === 'closed' ? 0 : null)
  const [panel, setPanel] = useState<'keys' | 'code' | null>(null)
  const isOpen = contest.phase === 'open'
  // An invitation has a link of its own.
  const hasCode = isOpen && folder.isPublic && contest.voters !== 'invited'
  const leave = () => navigate(`/folders/${folder.id}?tab=rankings`)
  const show = (next: 'keys' | 'code') => setPanel(panel === next ? null : next)
  const take = (step: Step) => setReveal(afterStep(reveal, step, winners.length))

  function onKey(key: string): boolean {
    const step = stepOf(key)
    if (step) take(step)
    else if (key === 'f') screen.full ? screen.leave() : screen.enter()
    else if (key === 'q' && hasCode) show('code')
    else if (key === 'h' || key === '?') show('keys')
    else if (key !== 'escape') return false
    else if (panel) setPanel(null)
    else if (screen.full) screen.leave()
    else void leave()
    return true
  }
  useKeys(onKey)

  return (
    <div
      className={cx(
        'flex h-dvh min-h-96 flex-col gap-4 px-4 pt-4 pb-3 sm:px-8 xl:gap-6 xl:px-16 xl:pt-8',
        idle && 'cursor-none',
      )}
    >
      <header className="flex flex-wrap items-center justify-between gap-x-8 gap-y-1">
        <h1 className="line-clamp-2 min-w-0 text-2xl font-bold wrap-anywhere sm:text-3xl xl:text-[56px]/[64px]">
          {folder.name}
        </h1>
        <div className="flex flex-wrap items-center gap-x-6 gap-y-1 text-lg text-muted xl:text-[28px]/[40px]">
          <span role="status" className="empty:absolute">
            {!live && <Badge tone="warn">Connecting</Badge>}
          </span>
          <p className="tabular-nums">{countOf(ballots, 'ballot')}</p>
          <p role="status">{announcePhase(contest, now)}</p>
        </div>
      </header>
      <p aria-live="polite" className="sr-only">
        {announce(
          winners.map(({ photo, points }) => ({ title: photo.title, points })),
          reveal,
        )}
      </p>
      <div className="flex min-h-0 flex-1 gap-8 xl:gap-12">
        {/* Its size is known to the podium, which fits in it. */}
        <div className="[container-type:size] flex min-w-0 flex-1 flex-col justify-center">
          {winners.length > 0 ? <LivePodium winners={winners} reveal={reveal} /> : <NoVotes contest={contest} />}
        </div>
        {panel === 'code' && hasCode && <VotingCode address={addressOf(folder.shareCode, 'vote')} />}
      </div>
      {panel === 'keys' && <Keys hasCode={hasCode} onClose={() => setPanel(null)} />}
      {/* A click leaves the focus where it is: Space is the next place then, not the button again. */}
      <div
        role="toolbar"
        aria-label="Presenter"
        onMouseDown={(event) => event.preventDefault()}
        className={cx('flex flex-wrap justify-center gap-2', fading(idle))}
      >
        {reveal === null ? (
          <Button aria-disabled={winners.length === 0} aria-keyshortcuts="R" onClick={() => take('toggle')}>
            <EyeOff aria-hidden /> Reveal <Key>R</Key>
          </Button>
        ) : (
          <>
            <Button aria-disabled={reveal === 0} aria-keyshortcuts="ArrowLeft" onClick={() => take('back')}>
              <ChevronLeft aria-hidden /> Back <Key>←</Key>
            </Button>
            <Button
              // A primary button that does nothing could not be read.
              variant={reveal === winners.length ? 'secondary' : 'primary'}
              aria-disabled={reveal === winners.length}
              aria-keyshortcuts="ArrowRight"
              onClick={() => take('next')}
            >
              Next place <Key>→</Key> <ChevronRight aria-hidden />
            </Button>
            <Button aria-keyshortcuts="R" onClick={() => take('toggle')}>
              <Eye aria-hidden /> End reveal <Key>R</Key>
            </Button>
          </>
        )}
        {hasCode && (
          <Tool
            label="QR code"
            shortcut="Q"
            icon={<QrCode aria-hidden />}
            pressed={panel === 'code'}
            onClick={() => show('code')}
          />
        )}
        <Tool
          label="Full screen"
          shortcut="F"
          icon={screen.full ? <Minimize aria-hidden /> : <Maximize aria-hidden />}
          pressed={screen.full}
          onClick={() => (screen.full ? screen.leave() : screen.enter())}
        />
        <Tool
          label="Keys"
          shortcut="H"
          icon={<CircleHelp aria-hidden />}
          pressed={panel === 'keys'}
          onClick={() => show('keys')}
        />
        <Button
          aria-label="Leave presenter mode"
          aria-keyshortcuts="Escape"
          title="Leave presenter mode (Escape)"
          onClick={leave}
        >
          <LogOut aria-hidden />
        </Button>
      </div>
    </div>
  )
}

interface ToolProps {
  label: string
  /** Its key. */
  shortcut: string
  icon: ReactNode
  pressed: boolean
  onClick: () => void
}

function Tool({ label, shortcut, icon, pressed, onClick }: ToolProps) {
  return (
    <Button
      aria-label={label}
      aria-keyshortcuts={shortcut}
      title={`${label} (${shortcut})`}
      aria-pressed={pressed}
      onClick={onClick}
    >
      {icon} <Key>{shortcut}</Key>
    </Button>
  )
}

/** The key of a button, where there is a keyboard. */
function Key({ children }: { children: string }) {
  return (
    <kbd aria-hidden className="hidden rounded-sm px-1 text-xs opacity-80 ring ring-current/30 lg:inline">
      {children}
    </kbd>
  )
}

/** Keys of the whole window, except where a control or a dialog above takes them. */
function useKeys(onKey: (key: string) => boolean): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    const target = event.target as Element
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return
    if (target.closest('[role="dialog"], [role="alertdialog"], input, textarea, select')) return
    if (event.key === ' ' && target.closest('a, button')) return
    if (onKey(event.key.toLowerCase())) event.preventDefault()
  })
  useEffect(() => {
    addEventListener('keydown', handle)
    return () => removeEventListener('keydown', handle)
  }, [])
}

// In the middle and the largest is the winner. On an upright screen it is above the other two.
const SLOTS: Record<Rank, string> = {
  first: 'portrait:col-span-full landscape:order-2',
  second: 'landscape:order-1',
  third: 'landscape:order-3',
}
/**
 * By the number of places: the columns, and the greatest width with which pictures of 4:3 and the texts below them are not
 * higher than the room for them.
 */
const PODIUMS = [
  '',
  'max-w-[calc((100cqh_-_var(--caption))*1.33)]',
  'portrait:max-w-[calc((100cqh_-_2*var(--caption)_-_16px)*0.66)] landscape:max-w-[calc((100cqh_-_var(--caption))*2.16)] landscape:grid-cols-[1fr_1.6fr]',
  'portrait:max-w-[calc((100cqh_-_2*var(--caption)_-_16px)*0.88)] portrait:grid-cols-2 landscape:max-w-[calc((100cqh_-_var(--caption))*3)] landscape:grid-cols-[1fr_1.6fr_1fr]',
]
const MOTION_MS = 900
const BOX: Box = { ratio: 4 / 3, widths: [{ when: '(orientation: landscape)', width: '42vw' }, { width: '100vw' }] }

function LivePodium({ winners, reveal }: { winners: Winner[]; reveal: Reveal }) {
  const list = useRef<HTMLOListElement>(null)
  useReorderMotion(list, winners.map(({ photo }) => photo.id).join(), MOTION_MS)
  return (
    <ol
      ref={list}
      aria-label="Podium"
      className={cx(
        'relative mx-auto grid w-full min-w-48 items-end gap-x-4 gap-y-4 [--caption:5rem] sm:gap-x-6 roomy:max-xl:[--caption:6rem] xl:gap-x-10 xl:[--caption:8.5rem]',
        PODIUMS[winners.length],
      )}
    >
      {winners.map((winner, index) => {
        const rank = PLACES[index]?.rank
        if (!rank) return null
        return (
          <li key={winner.photo.id} data-key={winner.photo.id} className={cx('min-w-0', SLOTS[rank])}>
            {isShown(reveal, index, winners.length) ? <Shown rank={rank} winner={winner} /> : <Covered rank={rank} />}
          </li>
        )
      })}
    </ol>
  )
}

const PICTURE = 'w-full rounded-lg aspect-4/3'
const TEXT = 'min-h-(--caption) pt-3 roomy:pt-4'
const TITLE = 'font-semibold roomy:max-xl:text-xl xl:text-[32px]/[40px]'

function Shown({ rank, winner: { photo, points } }: { rank: Rank; winner: Winner }) {
  return (
    <div className="animate-[appear_900ms_var(--ease)]">
      <PhotoImage
        {...sourcesForBox(BOX, photo)}
        alt={altText(photo)}
        thumbhash={photo.thumbhash}
        eager
        className={PICTURE}
      />
      <div className={cx('flex items-start gap-2 roomy:gap-3', TEXT)}>
        <RankMark
          rank={rank}
          className="size-8 text-base roomy:max-xl:size-10 roomy:max-xl:text-xl xl:size-14 xl:text-3xl"
        />
        <p className="min-w-0 flex-1">
          <span className={cx('line-clamp-2 text-pretty wrap-anywhere', TITLE)}>{photo.title || 'Untitled'}</span>
          <span className="block text-muted tabular-nums roomy:max-xl:text-lg xl:text-[24px]/[34px]">
            {`${formatNumber(points)} ${points === 1 ? 'point' : 'points'}`}
          </span>
        </p>
      </div>
    </div>
  )
}

function Covered({ rank }: { rank: Rank }) {
  return (
    <div>
      <div className={cx('@container grid place-items-center bg-sunken', PICTURE)}>
        <span
          aria-hidden
          className={cx('grid size-[30cqw] place-items-center rounded-full text-[15cqw] font-bold', RANK_COLOURS[rank])}
        >
          {PLACES.findIndex((place) => place.rank === rank) + 1}
        </span>
      </div>
      <p className={cx('text-muted', TEXT, TITLE)}>{RANK_NAMES[rank]}</p>
    </div>
  )
}

function NoVotes({ contest: { phase } }: { contest: Contest }) {
  return (
    <div className="text-center">
      <p className="text-3xl font-semibold xl:text-[48px]/[56px]">No votes yet</p>
      {phase === 'open' && (
        <p className="mt-2 text-lg text-muted xl:text-[28px]/[40px]">The podium appears with the first vote.</p>
      )}
    </div>
  )
}

const PANEL = 'fixed right-4 bottom-30 sm:bottom-20 rounded-lg bg-surface p-5 shadow-high ring ring-line sm:right-8'

/** The way to vote, for the phones in the room: on a wall beside the podium, which changes meanwhile. */
function VotingCode({ address }: { address: string }) {
  return (
    <section
      aria-label="Vote"
      className={cx(
        PANEL,
        'grid w-[min(360px,calc(100vw-32px))] justify-items-center gap-3 roomy:landscape:static roomy:landscape:w-[min(360px,26vw)] roomy:landscape:self-center',
      )}
    >
      <p className="text-xl font-semibold">Vote now</p>
      <QrPicture address={address} className="w-full rounded-md" />
      <p className="text-center text-sm text-muted wrap-anywhere">{address}</p>
    </section>
  )
}

const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ['R', 'Begin or end the reveal'],
  ['Space, →, Page Down', 'Begin, then reveal the next place'],
  ['←, Page Up', 'Cover it again'],
  ['F', 'Full screen'],
  ['H, ?', 'Show these keys'],
  ['Escape', 'Leave full screen, then presenter mode'],
]

function Keys({ hasCode, onClose }: { hasCode: boolean; onClose: () => void }) {
  const keys = hasCode ? [...KEYS, ['Q', 'QR code of the voting link'] as const] : KEYS
  return (
    <section aria-label="Keys" className={cx(PANEL, 'w-[min(440px,calc(100vw-32px))]')}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-5 gap-y-2">
        {keys.map(([key, meaning]) => (
          <div key={key} className="col-span-2 grid grid-cols-subgrid">
            <dt className="font-semibold">{key}</dt>
            <dd className="text-muted">{meaning}</dd>
          </div>
        ))}
      </dl>
      <Button className="mt-4" onClick={onClose}>
        Close
      </Button>
    </section>
  )
}
