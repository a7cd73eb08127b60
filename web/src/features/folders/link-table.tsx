import { useQuery } from '@tanstack/react-query'
import { Copy, ExternalLink, Lock, MessageSquare, Pencil, QrCode, RefreshCw, Share2, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { contestQuery } from '../../api/contests.ts'
import type { Folder, FolderLink } from '../../api/types.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { AlertText, Field, Input } from '../../components/ui/field.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { formatNumber } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { useNow } from '../../lib/use-now.ts'
import { ConfirmButton } from './confirm-change.tsx'
import { copyLink } from './link-actions.ts'
import { useNewLink, useWithdrawLink } from './link-changes.ts'
import { addressOf, describeVisitors, embedCodeOf, KINDS, stateOf } from './link-texts.ts'

/** What the share dialog shows instead of the list of links. */
export type Step =
  | { what: 'form'; link: FolderLink | null }
  | { what: 'code'; name: string; address: string }
  | { what: 'preview'; link: FolderLink }

const COLUMNS = ['Link', 'State', 'Visitors get', 'Opened']

interface LinkTableProps {
  folder: Folder
  links: { data: FolderLink[] | undefined; error: unknown; refetch: () => unknown }
  onStep: (step: Step) => void
}

/** All links of a folder. The addresses of the main link are there at once: they are what users need most often. */
export function LinkTable({ folder, links: { data, error, refetch }, onStep }: LinkTableProps) {
  const now = useNow()
  return (
    <>
      <table aria-label="Links" className="w-full table-fixed border-collapse max-sm:block">
        <thead className="max-sm:sr-only">
          <tr className="text-left text-sm text-muted">
            {COLUMNS.map((column) => (
              <th key={column} scope="col" className="pb-2 font-medium">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        {/* A list from the start: the main link keeps its place, and the focus in it, when the links are there. */}
        {(data ?? [null]).map((link) => (
          <LinkRows
            key={link === null || link.main ? 'main' : link.id}
            link={link}
            failed={Boolean(error)}
            folder={folder}
            now={now}
            onStep={onStep}
          />
        ))}
      </table>
      {!data && Boolean(error) && (
        <div className="grid justify-items-start gap-3">
          <AlertText>{errorMessage(error)}</AlertText>
          <Button onClick={() => void refetch()}>Try again</Button>
        </div>
      )}
    </>
  )
}

interface LinkRowsProps {
  folder: Folder
  /** In milliseconds. */
  now: number
  /** Null: the main link, of which only the code is known yet. */
  link: FolderLink | null
  /** What is not known could not be read. */
  failed: boolean
  onStep: (step: Step) => void
}

/** A link in two rows: what it is, and its addresses with what is done with them. */
function LinkRows({ folder, link, failed, now, onStep }: LinkRowsProps) {
  const isMain = link === null || link.main
  const name = link?.name ?? 'Main link'
  const code = isMain ? folder.shareCode : link.code
  const missing = failed ? '–' : <Skeleton className="h-5 w-20" />
  const kinds: FolderLink['kind'][] = isMain ? ['vote', 'browse'] : [link.kind]
  return (
    <tbody data-link={link?.id} className="max-sm:block">
      <tr className="border-t border-line max-sm:block">
        <th
          scope="rowgroup"
          className="py-3 pr-3 text-left align-top font-semibold wrap-anywhere max-sm:block max-sm:pb-1"
        >
          {name}
        </th>
        <Fact label="State">{link ? <State link={link} now={now} /> : missing}</Fact>
        <Fact label="Visitors get">
          {link ? (
            <ul>
              {describeVisitors(link).map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          ) : (
            missing
          )}
        </Fact>
        <Fact label="Opened">{link ? <Opened link={link} /> : missing}</Fact>
      </tr>
      <tr className="max-sm:block">
        <td colSpan={COLUMNS.length} className="pb-4 max-sm:block max-sm:pt-3">
          <div className="grid gap-4">
            {kinds.map((kind) => (
              <Address
                key={kind}
                kind={kind}
                code={code}
                name={name}
                isMain={isMain}
                isLocked={link?.hasPassword === true}
                folder={folder}
                onStep={onStep}
              />
            ))}
            {link && <EmbedCode code={embedCodeOf(link, folder.name)} of={name} />}
            {link && <Actions link={link} folder={folder} onStep={onStep} />}
          </div>
        </td>
      </tr>
    </tbody>
  )
}

/** A cell; on phones a line with its own label. */
function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <td className="py-3 pr-3 align-top text-sm max-sm:grid max-sm:grid-cols-[7rem_1fr] max-sm:py-1 max-sm:pr-0">
      <span aria-hidden className="text-muted sm:hidden">
        {label}
      </span>
      {children}
    </td>
  )
}

function State({ link, now }: { link: FolderLink; now: number }) {
  const { text, tone, notes } = stateOf(link, now)
  return (
    <div className="grid justify-items-start gap-1">
      <Badge tone={tone} icon={tone === 'warn' && <Lock aria-hidden />}>
        {text}
      </Badge>
      {notes.map((note) => (
        <span key={note} className="text-muted">
          {note}
        </span>
      ))}
    </div>
  )
}

function Opened({ link: { opened, openedToday } }: { link: FolderLink }) {
  if (opened === 0) return <span className="text-muted">Not yet</span>
  return (
    <span className="tabular-nums">
      <span className="sm:block">{`${formatNumber(openedToday)} today`}</span>
      <span className="sm:hidden">, </span>
      <span className="text-muted sm:block">{`${formatNumber(opened)} in all`}</span>
    </span>
  )
}

function Actions({ link, folder, onStep }: Pick<LinkRowsProps, 'folder' | 'onStep'> & { link: FolderLink }) {
  const ofLink = <span className="sr-only">{` ${link.name}`}</span>
  return (
    <div className="-ml-3 flex flex-wrap gap-x-1">
      <Button variant="quiet" size="small" onClick={() => onStep({ what: 'form', link })}>
        <Pencil aria-hidden /> <span>Edit{ofLink}</span>
      </Button>
      <Button variant="quiet" size="small" onClick={() => onStep({ what: 'preview', link })}>
        <MessageSquare aria-hidden /> <span>Preview{ofLink}</span>
      </Button>
      {link.main ? <RenewButton folder={folder} /> : <WithdrawButton folder={folder} link={link} />}
    </div>
  )
}

const NEW_LINK = (
  <>
    <RefreshCw aria-hidden /> New link
  </>
)

function RenewButton({ folder }: { folder: Folder }) {
  const renew = useNewLink(folder.id)
  const isByInvitation = useQuery(contestQuery(folder.id)).data?.voters === 'invited'
  return (
    <ConfirmButton
      button={{ variant: 'quiet', size: 'small', children: NEW_LINK }}
      change={renew}
      title="Make new links?"
      description={`The addresses of the main link stop working at once, for everyone who has them${isByInvitation ? ', those of invitations too: send them again' : ''}. Other links and the votes are kept.`}
      confirmLabel="Make new links"
      danger
      onConfirm={(options) => renew.mutate(undefined, options)}
    />
  )
}

function WithdrawButton({ folder, link }: { folder: Folder; link: FolderLink }) {
  const withdraw = useWithdrawLink(folder.id, link)
  const label = (
    <>
      <Trash2 aria-hidden />{' '}
      <span>
        Withdraw<span className="sr-only">{` ${link.name}`}</span>
      </span>
    </>
  )
  return (
    <ConfirmButton
      button={{ variant: 'quiet', size: 'small', children: label }}
      change={withdraw}
      title={`Withdraw “${link.name}”?`}
      description={`The link stops working at once, for everyone who has it.${link.kind === 'vote' ? ' The votes are kept.' : ''} This action cannot be undone.`}
      confirmLabel="Withdraw link"
      danger
      onConfirm={(options) => withdraw.mutate(undefined, options)}
    />
  )
}

interface AddressProps extends Pick<LinkRowsProps, 'folder' | 'onStep'> {
  kind: FolderLink['kind']
  code: string
  /** Of the link. */
  name: string
  isMain: boolean
  isLocked: boolean
}

/** An address of a link with buttons to open, share, show and copy it. */
function Address({ kind, code, name, isMain, isLocked, folder, onStep }: AddressProps) {
  const { label, summary } = KINDS[kind]
  // What users need most often.
  const first = isMain && kind === 'vote'
  const address = addressOf(code, kind)
  // 'voting link', 'voting link “Club”'.
  const what = `${label.toLowerCase()}${isMain ? '' : ` “${name}”`}`
  return (
    <Field label={label} hint={isMain && summary}>
      {(control) => (
        <div className="flex items-center gap-1 max-sm:flex-wrap">
          <Input
            {...control}
            readOnly
            value={address}
            onFocus={(event) => event.target.select()}
            className="min-w-0 max-sm:mb-1 sm:flex-1"
          />
          <a
            href={address}
            target="_blank"
            rel="noreferrer"
            aria-label={`Open the ${what}`}
            title={`Open the ${what}`}
            className="inline-grid size-11 place-items-center rounded-md text-muted transition hover:bg-sunken hover:text-text sm:size-9"
          >
            <ExternalLink aria-hidden className="size-[18px]" />
          </a>
          <IconButton
            label={`QR code of the ${what}`}
            icon={<QrCode />}
            onClick={() => onStep({ what: 'code', name: isMain ? folder.name : `${folder.name}, ${name}`, address })}
          />
          {'share' in navigator && (
            <IconButton
              label={`Share the ${what}`}
              icon={<Share2 />}
              onClick={() => share(isLocked ? 'Skyfolio' : folder.name, address)}
            />
          )}
          <Button
            variant={first ? 'primary' : 'secondary'}
            data-autofocus={first || undefined}
            data-copies
            aria-label={`Copy link: ${what}`}
            className="ml-1 max-sm:flex-1"
            onClick={() => copyLink(address)}
          >
            <Copy aria-hidden /> Copy link
          </Button>
        </div>
      )}
    </Field>
  )
}

/** What the listed websites put into their pages. */
function EmbedCode({ code, of }: { code: string | null; of: string }) {
  if (code === null) return null
  return (
    <Field label="Code for websites" hint="The websites that may embed the link put it into their pages.">
      {(control) => (
        <div className="flex items-center gap-1 max-sm:flex-wrap">
          <Input
            {...control}
            readOnly
            value={code}
            onFocus={(event) => event.target.select()}
            className="min-w-0 max-sm:mb-1 sm:flex-1"
          />
          <Button aria-label={`Copy code: ${of}`} className="ml-1 max-sm:flex-1" onClick={() => copyLink(code, 'code')}>
            <Copy aria-hidden /> Copy code
          </Button>
        </div>
      )}
    </Field>
  )
}

async function share(title: string, url: string): Promise<void> {
  try {
    await navigator.share({ title, url })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return // The user closed the share dialog.
    await copyLink(url)
  }
}
