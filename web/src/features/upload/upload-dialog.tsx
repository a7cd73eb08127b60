import { useQuery } from '@tanstack/react-query'
import { LogIn } from 'lucide-react'
import { useId } from 'react'
import { Link } from 'react-router-dom'
import { configQuery, userQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { EmptyState, QueryFailure } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { changeDraft, closeUpload, EMPTY_DRAFT, openUpload, showQueue, useUploadDialogState } from './dialog-state.ts'
import { RETRYABLE } from './queue/states.ts'
import { QueueView } from './queue-view.tsx'
import { cancelUpload, queue, useQueueVersion } from './upload-actions.ts'
import { UploadForm } from './upload-form.tsx'

/** The upload dialog: the form or the list of files. Closing it stops nothing. */
export function UploadDialog() {
  const { open, view } = useUploadDialogState()
  const formId = useId()
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && closeUpload()}
      title="Upload Photos"
      footer={view === 'form' ? <FormButtons formId={formId} /> : <QueueButtons />}
    >
      {view === 'form' ? <Form id={formId} /> : <QueueView />}
    </Dialog>
  )
}

function FormButtons({ formId }: { formId: string }) {
  useQueueVersion()
  const user = useQuery(userQuery)
  const { draft, reading } = useUploadDialogState()
  if (!user.data) return null
  const isEmpty = draft.photos.length === 0 && draft.issues.length === 0 && draft.description === ''

  function discard(): void {
    changeDraft(EMPTY_DRAFT)
    closeUpload()
  }

  return (
    <>
      {queue.isActive && (
        <Button variant="quiet" className="sm:mr-auto" onClick={showQueue}>
          Show progress
        </Button>
      )}
      {/* Closing the dialog otherwise keeps the form. */}
      <Button onClick={discard}>{isEmpty ? 'Cancel' : 'Discard'}</Button>
      <Button variant="primary" type="submit" form={formId} disabled={reading}>
        Upload
      </Button>
    </>
  )
}

function QueueButtons() {
  useQueueVersion()
  const canCancel = queue.store.items.some((item) => queue.canCancel(item))
  const canRetry = !queue.isActive && queue.store.count(RETRYABLE) > 0
  const isEnded = !queue.isActive && !canRetry

  function clear(): void {
    queue.dismiss()
    closeUpload()
  }

  return (
    <>
      {canCancel && (
        <Button variant="quiet" className="sm:mr-auto" onClick={cancelUpload}>
          Cancel all
        </Button>
      )}
      {canRetry && (
        <Button variant="quiet" className="sm:mr-auto" onClick={clear}>
          Clear list
        </Button>
      )}
      <Button onClick={() => openUpload()}>Add photos</Button>
      <Button variant="primary" onClick={isEnded ? clear : closeUpload}>
        {isEnded ? 'Done' : 'Hide'}
      </Button>
    </>
  )
}

function Form({ id }: { id: string }) {
  const user = useQuery(userQuery)
  const config = useQuery(configQuery)
  if (user.data === null) {
    return (
      <EmptyState
        icon={<LogIn />}
        title="Your session has ended"
        description="Log in again to continue. The photos you chose are kept."
        action={
          <Button asChild variant="primary">
            <Link to="/auth" state={{ from: '/upload' }}>
              Log in to upload
            </Link>
          </Button>
        }
      />
    )
  }
  if (config.isError) return <QueryFailure query={config} title="The upload limits could not be loaded" />
  if (!user.data || !config.data) return <Skeleton className="h-80 rounded-lg" />
  return <UploadForm id={id} user={user.data} config={config.data} />
}
