import { useQuery } from '@tanstack/react-query'
import { Check, Copy, Download, ExternalLink } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { isProcessing, metadataPhotoQuery } from '../../api/metadata-photos.ts'
import type { MetadataPhoto, MetadataPhotoDetails } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Loaded, LoadingState } from '../../components/ui/empty-state.tsx'
import { Skeleton, Spinner } from '../../components/ui/loading.tsx'
import { SearchInput } from '../../components/ui/search-input.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { copyText } from '../../lib/clipboard.ts'
import { saveFile } from '../../lib/files.ts'
import { countOf, formatBytes, formatNumber } from '../../lib/format.ts'
import { formatDimensions, mapLink } from '../../photos/photo-facts.ts'

interface ShownGroup {
  name: string
  tags: [name: string, value: string][]
}

/** File and image groups come first, then those of other programs by name. */
const rankOf = (name: string) => ['GPS', 'EXIF', 'IFD0', 'File'].indexOf(name)

/** The metadata of one photo, to search, copy and download. */
export function DetailsDialog({ photo, onClose }: { photo: MetadataPhoto; onClose: () => void }) {
  const query = useQuery(metadataPhotoQuery(photo.id))
  const dimensions = formatDimensions(query.data ?? photo, null)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={photo.originalName}
      description={[formatBytes(photo.filesize), dimensions].filter(Boolean).join(' · ')}
      size="large"
      footer={query.data && !isProcessing(query.data) && <JsonButtons photo={query.data} />}
    >
      <Loaded
        query={query}
        loading={
          <LoadingState label="Loading metadata" className="grid gap-4">
            <Skeleton className="h-10 rounded-md" />
            <Skeleton className="h-40 rounded-md" />
            <Skeleton className="h-40 rounded-md" />
          </LoadingState>
        }
        failure="Metadata could not be loaded"
      >
        {(details) => <Details photo={details} />}
      </Loaded>
    </Dialog>
  )
}

function Details({ photo }: { photo: MetadataPhotoDetails }) {
  if (isProcessing(photo)) {
    return (
      <p role="status" className="flex items-center justify-center gap-3 py-16 text-muted">
        <Spinner /> {'Reading the metadata\u2026'}
      </p>
    )
  }
  return (
    <>
      {photo.status === 'failed' && photo.statusMessage && (
        <p className="mb-4 rounded-md bg-danger-soft px-4 py-3 text-sm text-danger">{photo.statusMessage}</p>
      )}
      <GroupList photo={photo} />
    </>
  )
}

/** Tags in their groups, with a search in names and values. */
function GroupList({ photo: { groups, latitude, longitude } }: { photo: MetadataPhotoDetails }) {
  const [search, setSearch] = useState('')
  const shown = searchGroups(groups, useDeferredValue(search))
  const all = countTags(searchGroups(groups, ''))
  const found = countTags(shown)
  if (all === 0) return <p className="py-10 text-center text-muted">No metadata available</p>
  return (
    <>
      <div className="flex flex-wrap gap-3">
        <SearchInput
          className="min-w-0 grow basis-56"
          aria-label="Search metadata"
          placeholder="Search metadata..."
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        {latitude !== null && longitude !== null && (
          <Button asChild>
            <a href={mapLink(latitude, longitude)} target="_blank" rel="noreferrer">
              <ExternalLink aria-hidden /> View on Map
              <span className="sr-only">(opens in a new tab)</span>
            </a>
          </Button>
        )}
      </div>
      <p role="status" className="mt-2 text-sm text-muted">
        {found === all ? countOf(all, 'tag') : `${formatNumber(found)} of ${countOf(all, 'tag')}`}
      </p>
      {found === 0 ? (
        <div className="grid justify-items-center gap-4 py-10">
          <p className="text-muted">No tag or value matches your search</p>
          <Button onClick={() => setSearch('')}>Clear search</Button>
        </div>
      ) : (
        shown.map((group) => <Group key={group.name} group={group} />)
      )}
    </>
  )
}

function Group({ group: { name, tags } }: { group: ShownGroup }) {
  return (
    <section aria-label={name} className="mt-5">
      <h3 className="flex items-baseline gap-2 border-b border-line pb-1.5 font-semibold">
        <span>{name}</span> <span className="text-sm font-normal text-muted">{formatNumber(tags.length)}</span>
      </h3>
      <dl>
        {tags.map(([tag, value]) => (
          <div key={tag} className="border-b border-line py-2 sm:grid sm:grid-cols-[14rem_1fr] sm:gap-x-4">
            <dt className="text-sm/6 text-muted wrap-anywhere">{tag}</dt>
            <dd className="min-w-0 wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function JsonButtons({ photo }: { photo: MetadataPhotoDetails }) {
  const [copied, setCopied] = useState(false)

  async function copy(): Promise<void> {
    const done = await copyText(metadataJson(photo))
    setCopied(done)
    if (!done)
      toast({ title: 'Failed to copy', description: 'Could not copy the metadata to clipboard', tone: 'danger' })
  }

  function save(): void {
    saveFile(new Blob([metadataJson(photo)], { type: 'application/json' }), jsonName(photo.originalName))
  }

  return (
    <>
      <p role="status" className="sr-only">
        {copied && 'The metadata is in the clipboard as JSON'}
      </p>
      <Button onClick={copy}>
        {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        <span>{copied ? 'Copied' : 'Copy JSON'}</span>
      </Button>
      <Button onClick={save}>
        <Download aria-hidden /> Download JSON
      </Button>
    </>
  )
}

type Groups = MetadataPhotoDetails['groups']

/** The tags that contain every word of the search in their name, value or group, sorted by name. */
export function searchGroups(groups: Groups, search: string): ShownGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const hasAll = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  return Object.entries(groups)
    .map(([name, tags]) => ({ name, tags: linesOf(tags).filter((line) => hasAll([name, ...line].join('\n'))) }))
    .filter(({ tags }) => tags.length > 0)
    .sort((one, other) => rankOf(other.name) - rankOf(one.name) || one.name.localeCompare(other.name))
}

function linesOf(tags: Groups[string]): ShownGroup['tags'] {
  return Object.entries(tags)
    .map(([tag, value]): [string, string] => [tag, String(value)])
    .sort(([one], [other]) => one.localeCompare(other))
}

export function countTags(groups: readonly ShownGroup[]): number {
  return groups.reduce((count, { tags }) => count + tags.length, 0)
}

/** The metadata of a photo as JSON, for other programs. */
export function metadataJson(photo: MetadataPhotoDetails): string {
  const { originalName, filesize, width, height, latitude, longitude, altitude } = photo
  const { city, county, state, dateTaken, groups } = photo
  const facts = { filesize, width, height, latitude, longitude, altitude, city, county, state, dateTaken }
  return JSON.stringify({ filename: originalName, ...facts, metadata: groups }, null, 2)
}

/** 'DJI_0018-metadata.json' for 'DJI_0018.JPG'. */
export function jsonName(originalName: string): string {
  return `${originalName.replace(/\.[^.]+$/, '') || 'photo'}-metadata.json`
}
