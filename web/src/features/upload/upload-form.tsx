import { useQuery } from '@tanstack/react-query'
import { ChevronDown, FileImage, FolderOpen, ImagePlus, Info, X } from 'lucide-react'
import {
  type ChangeEvent,
  type FormEvent,
  type MouseEvent,
  type Ref,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { foldersQuery } from '../../api/queries.ts'
import type { AppConfig, Folder, User } from '../../api/types.ts'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Checkbox, Field, Select, Textarea } from '../../components/ui/field.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { cx } from '../../lib/cx.ts'
import { countOf, formatBytes } from '../../lib/format.ts'
import { NewFolder } from '../../photos/folder-choice-dialog.tsx'
import { changeDraft, type Draft, EMPTY_SELECTION, showQueue, useUploadDialogState } from './dialog-state.ts'
import { acceptList, LIST, listedFiles, uploadRequirements } from './file-selection.ts'
import { IssueList, StorageLeft } from './notices.tsx'
import type { ChosenFile } from './queue/items.ts'
import { type PhotoOf, photosOf } from './queue/photos.ts'
import { RETRYABLE } from './queue/states.ts'
import { ScrolledList } from './scrolled-list.tsx'
import { UnfinishedUploads } from './unfinished-uploads.tsx'
import { addToForm, queue, startUpload, useQueueVersion } from './upload-actions.ts'

/** The form of an upload: files, description, folder and visibility. Its button, in the dialog's footer, knows its id. */
export function UploadForm({ id, user, config }: { id: string; user: User; config: AppConfig }) {
  const { draft, reading } = useUploadDialogState()
  const folders = useQuery(foldersQuery)
  const picker = useRef<HTMLInputElement>(null)
  const requirements = useId()
  const [missing, setMissing] = useState(false)
  const folder = folders.data?.find(({ id }) => id === draft.folderId) ?? null
  const isPublic = folder?.isPublic ?? draft.isPublic ?? user.publicByDefault
  const visibility = isPublic ? 'public' : 'private'
  const hasFiles = draft.photos.length > 0 || reading

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (draft.photos.length === 0) {
      setMissing(true)
      toast({ title: 'Upload failed', description: 'Please select at least one photo to upload', tone: 'danger' })
      picker.current?.focus()
      return
    }
    startUpload({ description: draft.description.trim(), folderId: folder?.id ?? null, isPublic }, config)
  }

  return (
    <form id={id} noValidate className="grid gap-4" onSubmit={submit}>
      <EarlierFiles />
      <UnfinishedUploads />
      <Requirements id={requirements} config={config} compact={hasFiles} />
      <FilePicker
        ref={picker}
        config={config}
        requirementsId={requirements}
        compact={hasFiles}
        error={missing && draft.photos.length === 0 ? 'At least one photo is required' : undefined}
      />
      <IssueList issues={draft.issues} />
      <Previews draft={draft} reading={reading} />
      <StorageLeft chosenBytes={draft.bytes} />
      <div className="grid items-end gap-4 sm:grid-cols-2">
        <FolderSelect folders={folders.data ?? []} folderId={folder?.id ?? null} />
        {folder ? (
          <p className="text-sm text-muted">
            {`“${folder.name}” is ${visibility}, so these photos will be ${visibility} too.`}
          </p>
        ) : (
          <Checkbox
            label="Public"
            hint="Visitors see a public photo once it is in a public folder."
            checked={isPublic}
            onChange={(event) => changeDraft({ isPublic: event.target.checked })}
          />
        )}
      </div>
      <Field label="Description" optional>
        {(control) => (
          <Textarea
            {...control}
            maxLength={5_000}
            rows={2}
            className="min-h-18"
            value={draft.description}
            onChange={(event) => changeDraft({ description: event.target.value })}
          />
        )}
      </Field>
    </form>
  )
}

/** Leads from the form to the files of an earlier upload that can be tried again. */
function EarlierFiles() {
  useQueueVersion()
  const count = queue.store.photosIn(RETRYABLE).length
  const isOne = count === 1
  if (count === 0 || queue.isActive) return null
  return (
    <div className="flex items-center justify-between gap-4 rounded-md bg-warn-soft px-4 py-2 text-sm">
      <p>{`${countOf(count, 'photo')} of an earlier upload ${isOne ? 'needs' : 'need'} your attention.`}</p>
      <Button size="small" className="shrink-0" onClick={showQueue}>
        {isOne ? 'Show it' : 'Show them'}
      </Button>
    </div>
  )
}

/** `compact`: one line, which opens. */
function Requirements({ id, config, compact }: { id: string; config: AppConfig; compact: boolean }) {
  return (
    <details open={!compact} className="group rounded-md bg-accent-soft text-sm">
      <summary className="flex min-h-11 cursor-pointer items-center gap-3 rounded-md px-4 font-semibold sm:min-h-10 [&::-webkit-details-marker]:hidden">
        <Info aria-hidden className="size-4 shrink-0 text-accent" />
        Upload requirements
        <ChevronDown aria-hidden className="ml-auto size-4 text-muted transition group-open:rotate-180" />
      </summary>
      <ul id={id} className="list-disc pr-4 pb-3 pl-15 marker:text-muted">
        {uploadRequirements(config).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  )
}

function FolderSelect({ folders, folderId }: { folders: Folder[]; folderId: number | null }) {
  const [creating, setCreating] = useState(false)

  function choose(value: string): void {
    if (value === 'new') setCreating(true)
    else changeDraft({ folderId: value === 'none' ? null : Number(value) })
  }

  function use({ id }: Folder): void {
    setCreating(false)
    changeDraft({ folderId: id })
  }

  if (creating) return <NewFolder onCreated={use} onCancel={() => setCreating(false)} />
  return (
    <Field label="Folder">
      {(control) => (
        <Select {...control} value={folderId ?? 'none'} onChange={({ target }) => choose(target.value)}>
          <option value="none">No folder</option>
          <option value="new">New folder…</option>
          {folders.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

interface FilePickerProps {
  config: AppConfig
  requirementsId: string
  /** One line: files are chosen, and more can be added. */
  compact: boolean
  error?: string
  ref?: Ref<HTMLInputElement>
}

/** Takes any number of files, or a whole folder, from the file dialog. The whole page accepts drops. */
function FilePicker({ config, requirementsId, compact, error, ref }: FilePickerProps) {
  const id = useId()
  const folder = useRef<HTMLInputElement>(null)

  function choose({ target }: ChangeEvent<HTMLInputElement>): void {
    addToForm(listedFiles([...(target.files ?? [])]))
    target.value = '' // So that the same file can be chosen again.
  }

  return (
    <div>
      <div
        className={cx(
          'flex items-center gap-1 rounded-lg border-2 border-dashed bg-bg px-4 transition has-focus-visible:border-accent',
          compact ? 'justify-between py-1.5' : 'flex-col pt-5 pb-4 text-center',
          error ? 'border-danger' : 'border-line hover:border-accent',
        )}
      >
        <label
          className={cx(
            'flex cursor-pointer items-center rounded-md has-focus-visible:outline-2 has-focus-visible:outline-accent',
            compact
              ? '-ml-2 min-h-11 min-w-0 flex-1 gap-3 px-2 sm:min-h-8'
              : 'w-full flex-col gap-1 has-focus-visible:outline-offset-4',
          )}
        >
          <ImagePlus aria-hidden className={cx('shrink-0 text-accent', compact ? 'size-5' : 'mb-1 size-7')} />
          <span className={cx('font-semibold', !compact && 'pointer-coarse:hidden')}>
            {compact ? 'Add more photos' : 'Drop photos or folders here, or choose files'}
          </span>
          {!compact && <span className="hidden font-semibold pointer-coarse:inline">Choose photos</span>}
          <input
            ref={ref}
            type="file"
            name="photos"
            data-autofocus
            multiple
            accept={acceptList(config.formats)}
            aria-label="Photos"
            aria-invalid={Boolean(error)}
            aria-describedby={cx(requirementsId, error && `${id}-error`)}
            className="sr-only"
            onChange={choose}
          />
        </label>
        {/* Phones cannot choose folders. */}
        <Button variant="quiet" size="small" className="pointer-coarse:hidden" onClick={() => folder.current?.click()}>
          <FolderOpen aria-hidden /> Choose a folder
        </Button>
        {/* React's types lack webkitdirectory. */}
        <input ref={folder} type="file" name="folder" {...{ webkitdirectory: '' }} hidden onChange={choose} />
      </div>
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-1.5 text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  )
}

const PREVIEWS = 4
const ROW_PX = 44
/** Browsers cannot display these. */
const NO_PREVIEW = /\.(dng|tiff?)$/i

function Previews({ draft, reading }: { draft: Draft; reading: boolean }) {
  const { photos: files, bytes, skipped } = draft
  // While files are being read, pairs are not complete, and would be searched again for each portion of files.
  const photos = useMemo(() => (reading ? null : photosOf(files, pathOf)), [files, reading])
  if (files.length === 0 && !reading && skipped === 0) return null
  const previews = photos?.slice(0, PREVIEWS) ?? files.slice(0, PREVIEWS).map((file) => [file] as const)
  const [count, noun] = photos ? [photos.length, 'photo'] : [files.length, 'file']
  const withFiles = count < files.length ? `, ${countOf(files.length, 'file')}` : ''
  const amounts = [countOf(count, noun) + withFiles, formatBytes(bytes)]
  const summary = [...amounts, ...(skipped > 0 ? [`${countOf(skipped, 'other file')} skipped`] : [])].join(' · ')

  function remove(removed: ChosenPhoto, { currentTarget }: MouseEvent): void {
    // Its own button goes with it.
    const row = currentTarget.closest('li')
    const next = row?.nextElementSibling ?? row?.previousElementSibling
    next?.querySelector('button')?.focus()
    const kept = files.filter((one) => !removed.includes(one))
    changeDraft({ photos: kept, bytes: bytes - bytesOf(removed) })
  }

  return (
    <section aria-label="Chosen photos">
      <div className="mb-1 flex min-h-11 items-center justify-between gap-2 sm:min-h-8">
        <p className="text-sm text-muted" role={reading ? undefined : 'status'}>
          {`${reading ? 'Reading… ' : ''}${summary}`}
        </p>
        {!reading && (
          <Button variant="quiet" size="small" onClick={() => changeDraft(EMPTY_SELECTION)}>
            Remove all
          </Button>
        )}
      </div>
      <ul className="grid grid-cols-4 gap-2">
        {previews.map((photo) => (
          <li key={keyOf(photo)} className="relative">
            <Preview file={photo[0].file} />
            {/* A small circle in the corner; its click target is 44 px. */}
            {!reading && (
              <button
                type="button"
                aria-label={`Remove ${namesOf(photo)}`}
                title={`Remove ${namesOf(photo)}`}
                onClick={(event) => remove(photo, event)}
                className="absolute top-0 right-0 grid size-11 place-items-start justify-items-end rounded-md p-1 sm:size-8"
              >
                <span className="grid size-6 place-items-center rounded-full bg-black/65 text-white">
                  <X aria-hidden className="size-3.5" />
                </span>
              </button>
            )}
          </li>
        ))}
      </ul>
      {count > PREVIEWS && (
        <details className="group">
          <summary className="flex min-h-11 w-fit cursor-pointer items-center gap-1.5 rounded-md text-sm font-semibold sm:min-h-9 [&::-webkit-details-marker]:hidden">
            <span>{`+${countOf(count - PREVIEWS, `more ${noun}`)}`}</span>
            <ChevronDown aria-hidden className="size-4 text-muted transition group-open:rotate-180" />
          </summary>
          <ScrolledList
            label="More photos"
            entries={photos?.slice(PREVIEWS) ?? []}
            keyOf={keyOf}
            heightOf={() => ROW_PX}
          >
            {(photo) => (
              <div className="flex items-center gap-3 pl-1 text-sm" style={{ height: ROW_PX }}>
                <p className="min-w-0 flex-1 truncate" title={pathOf(photo[0])}>
                  {namesOf(photo)}
                </p>
                <p className="text-muted tabular-nums">{formatBytes(bytesOf(photo))}</p>
                <IconButton label={`Remove ${namesOf(photo)}`} icon={<X />} onClick={(event) => remove(photo, event)} />
              </div>
            )}
          </ScrolledList>
        </details>
      )}
    </section>
  )
}

type ChosenPhoto = PhotoOf<ChosenFile>

const pathOf = ({ path, file }: ChosenFile) => `${path}/${file.name}`
const keyOf = ([one]: ChosenPhoto) => `${pathOf(one)}/${one.bytes}/${one.file.lastModified}`
const bytesOf = (photo: ChosenPhoto) => photo.reduce((sum, { bytes }) => sum + bytes, 0)

/** 'DJI_1.JPG and DJI_1.DNG' */
function namesOf(photo: ChosenPhoto): string {
  return LIST.format(photo.map(({ file }) => file.name))
}

function Preview({ file }: { file: File }) {
  const [url, setUrl] = useState<string>()
  const [broken, setBroken] = useState(NO_PREVIEW.test(file.name))
  useEffect(() => {
    if (NO_PREVIEW.test(file.name)) return
    const created = URL.createObjectURL(file)
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [file])
  return (
    <div className="grid aspect-4/3 place-items-center overflow-hidden rounded-md bg-sunken text-muted">
      {url && !broken && (
        <img
          src={url}
          alt={file.name}
          decoding="async"
          onError={() => setBroken(true)}
          className="size-full object-cover"
        />
      )}
      {broken && (
        <span role="img" aria-label={`${file.name}, no preview`} className="grid justify-items-center gap-1">
          <FileImage aria-hidden className="size-6" />
          <span className="max-w-full truncate px-1 text-xs font-semibold">
            {file.name.split('.').at(-1)?.toUpperCase()}
          </span>
        </span>
      )}
    </div>
  )
}
