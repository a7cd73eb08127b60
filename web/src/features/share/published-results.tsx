import { Copy, Download, Trophy } from 'lucide-react'
import type { ReactNode } from 'react'
import { resultsPath } from '../../api/shared-contest.ts'
import type { PublicPhoto, Results } from '../../api/types.ts'
import { Podium } from '../../components/podium.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Fold } from '../../components/ui/fold.tsx'
import { BackLink } from '../../components/ui/link-button.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { copyText } from '../../lib/clipboard.ts'
import { cx } from '../../lib/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import { formatMoment } from '../../lib/zoned-time.ts'
import { CELL, HEAD, TallyTable } from './tally-table.tsx'

interface PublishedResultsProps {
  shareCode: string
  results: Results
  photos: PublicPhoto[]
}

/** The published result of a contest: its podium, the owner's words, how it was counted, and how to check that. */
export function PublishedResults({ shareCode, results, photos }: PublishedResultsProps) {
  const { folder, text, places, tallies } = results
  return (
    <div className="page pt-5">
      <BackLink to={`/share/${shareCode}`}>To the photos</BackLink>
      <h1 className="text-3xl font-bold wrap-anywhere roomy:text-[34px]/[42px]">{`Results of ${folder.name}`}</h1>
      {folder.photographer && <p className="mt-1.5 wrap-anywhere text-muted">{`Photos by ${folder.photographer}`}</p>}
      {text && <p className="mt-3 max-w-[62ch] whitespace-pre-line text-pretty wrap-anywhere">{text}</p>}
      <Facts results={results} />
      {places.length === 0 ? (
        <EmptyState
          icon={<Trophy />}
          title="No ballots"
          description="Voting closed without a vote that counts, so no photo has a place."
        />
      ) : (
        <>
          <h2 className="sr-only">Winners</h2>
          <Podium winners={winnersOf(places, photos)} />
          <MissingWinners places={places} photos={photos} />
          <Part title="Votes and points">
            <TallyTable tallies={tallies} photos={photos} caption="Votes and points of the photos" />
          </Part>
        </>
      )}
      <Part title="Check the result">
        <div className="flex flex-wrap gap-2">
          <DownloadLink href={`${resultsPath(shareCode)}.csv`}>Download CSV</DownloadLink>
          <DownloadLink href={resultsPath(shareCode)} name={`${folder.name} results.json`}>
            Download JSON
          </DownloadLink>
        </div>
        <Fold title="How to recount">
          <p className="max-w-[62ch] text-pretty text-muted">
            Ask the owner for the file of the ballots, which names no voter, and run{' '}
            <code className="rounded-sm bg-sunken px-1 py-0.5">{'npm run ops -- recount <file>'}</code> in a copy of
            Skyfolio. It counts the ballots again and says whether the log below agrees.
          </p>
        </Fold>
      </Part>
      <Part title="Log">
        <Log entries={results.log} />
      </Part>
    </div>
  )
}

function Facts({ results: { rule, ballots, closedAt } }: { results: Results }) {
  return (
    <dl className="mt-4 mb-8 grid gap-x-8 gap-y-2 text-sm sm:flex sm:flex-wrap">
      <Fact label="Ballots">{formatNumber(ballots)}</Fact>
      {closedAt && <Fact label="Voting closed">{formatMoment(closedAt)}</Fact>}
      <Fact label="Rule">{rule}</Fact>
    </dl>
  )
}

function Fact({ label, children }: { label: string; children: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted">{label}</dt>
      <dd className="max-w-[62ch] font-semibold text-pretty">{children}</dd>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-10">
      <h2 className="mb-3 text-xl font-semibold">{title}</h2>
      {children}
    </section>
  )
}

type Place = Results['places'][number]

/** The photos on the podium that the link still shows. */
function winnersOf(places: Place[], photos: PublicPhoto[]) {
  return places.flatMap(({ rank, photoId, points }) => {
    const photo = photos.find(({ id }) => id === photoId)
    return photo ? [{ rank, photo, points }] : []
  })
}

/** The result stays when a photo leaves the folder; then only its place can be told. */
function MissingWinners({ places, photos }: { places: Place[]; photos: PublicPhoto[] }) {
  const missing = places.filter(({ photoId }) => !photos.some(({ id }) => id === photoId))
  return missing.map(({ rank }) => (
    <p key={rank} className="mb-2 text-center text-muted">{`The photo in place ${rank} is no longer here.`}</p>
  ))
}

function DownloadLink({ href, name = '', children }: { href: string; name?: string; children: string }) {
  return (
    <Button asChild>
      <a href={href} download={name}>
        <Download aria-hidden /> <span>{children}</span>
      </a>
    </Button>
  )
}

/** What the owner published of the counting, the oldest first. */
function Log({ entries }: { entries: Results['log'] }) {
  return (
    // A region that scrolls is reached by keys.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: otherwise keys could not scroll it
    <section aria-label="Log" tabIndex={0} className="overflow-x-auto rounded-lg bg-surface shadow-low ring ring-line">
      <table className="w-full min-w-[44rem] border-collapse text-sm">
        <caption className="sr-only">Published log of the counting</caption>
        <thead>
          <tr>
            {['Time', 'Ballots', 'Excluded', 'Note', 'Digest'].map((label) => (
              <th key={label} scope="col" className={cx(HEAD, isNumber(label) ? 'text-right' : 'text-left')}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={`${entry.at} ${entry.digest}`} className="border-t border-line">
              <th scope="row" className={cx(CELL, 'text-left font-normal whitespace-nowrap')}>
                {formatMoment(entry.at)}
              </th>
              <td className={cx(CELL, 'text-right tabular-nums')}>{formatNumber(entry.ballots)}</td>
              <td className={cx(CELL, 'text-right tabular-nums')}>{formatNumber(entry.excluded)}</td>
              <td className={cx(CELL, 'min-w-48 wrap-anywhere')}>{entry.note}</td>
              <td className={CELL}>
                <span className="flex items-center gap-1">
                  <code title={entry.digest}>{`${entry.digest.slice(0, 12)}…`}</code>
                  <IconButton
                    label={`Copy the digest of ${formatMoment(entry.at)}`}
                    icon={<Copy />}
                    onClick={() => copyDigest(entry.digest)}
                  />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const isNumber = (label: string) => label === 'Ballots' || label === 'Excluded'

async function copyDigest(digest: string): Promise<void> {
  if (await copyText(digest)) toast({ title: 'Digest copied' })
  else toast({ title: 'Failed to copy', description: 'Could not copy the digest to clipboard', tone: 'danger' })
}
