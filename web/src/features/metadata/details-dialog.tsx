import { useQuery } from '@tanstack/react-query'
import { Check, Copy, Download, ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { isProcessing, metadataPhotoQuery } from '../../api/metadata-photos.ts'
import type { MetadataPhoto, MetadataPhotoDetails } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton, Spinner } from '../../components/ui/loading.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { copyText } from '../../lib/clipboard.ts'
import { saveFile } from '../../lib/files.ts'
import { formatBytes } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'
import { formatDimensions, mapLink } from '../../photos/photo-facts.ts'
import { GroupList } from './group-list.tsx'
import { jsonName, metadataJson } from './tag-groups.ts'

interface DetailsDialogProps {
  photo: MetadataPhoto
  onClose: () => void
}

/** The metadata of one photo, to search, copy and download. */
export function DetailsDialog({ photo, onClose }: DetailsDialogProps) {
  const { data: details } = useQuery(metadataPhotoQuery(photo.id))
  const known = details ?? photo
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={photo.originalName}
      description={[formatBytes(photo.filesize), formatDimensions(known, null)].filter(Boolean).join(' · ')}
      size="large"
      footer={details && !isProcessing(details) && <JsonButtons photo={details} />}
    >
      <Content id={photo.id} />
    </Dialog>
  )
}

function Content({ id }: { id: number }) {
  const { data: photo, error, refetch } = useQuery(metadataPhotoQuery(id))
  if (!photo) {
    if (!error) return <ContentSkeleton />
    const retry = () => void refetch()
    return <ErrorState title="Metadata could not be loaded" description={errorMessage(error)} onRetry={retry} />
  }
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
      <GroupList groups={photo.groups} aside={<MapLink photo={photo} />} />
    </>
  )
}

function MapLink({ photo: { latitude, longitude } }: { photo: MetadataPhotoDetails }) {
  if (latitude === null || longitude === null) return null
  return (
    <Button asChild>
      <a href={mapLink(latitude, longitude)} target="_blank" rel="noreferrer">
        <ExternalLink aria-hidden /> View on Map
        <span className="sr-only">(opens in a new tab)</span>
      </a>
    </Button>
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

  return (
    <>
      <p role="status" className="sr-only">
        {copied && 'The metadata is in the clipboard as JSON'}
      </p>
      <Button onClick={copy}>
        {copied ? <Check aria-hidden /> : <Copy aria-hidden />} {copied ? 'Copied' : 'Copy JSON'}
      </Button>
      <Button onClick={() => saveJson(photo)}>
        <Download aria-hidden /> Download JSON
      </Button>
    </>
  )
}

function saveJson(photo: MetadataPhotoDetails): void {
  saveFile(new Blob([metadataJson(photo)], { type: 'application/json' }), jsonName(photo.originalName))
}

function ContentSkeleton() {
  return (
    <div role="status" className="grid gap-4">
      <span className="sr-only">Loading metadata</span>
      <Skeleton className="h-10 rounded-md" />
      <Skeleton className="h-40 rounded-md" />
      <Skeleton className="h-40 rounded-md" />
    </div>
  )
}
