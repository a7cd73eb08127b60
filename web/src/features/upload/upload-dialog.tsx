import { useQuery } from '@tanstack/react-query'
import { LogIn } from 'lucide-react'
import { useId } from 'react'
import { Link } from 'react-router-dom'
import { configQuery, userQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { EmptyState, ErrorState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { countOf } from '../../lib/format.ts'
import { noticeOf } from '../../lib/http.ts'
import type { Notice } from './notices.ts'
import { cancelUpload, closeUpload, openUpload, uploadMore, useUploadSession } from './session.ts'
import { IssueList, UploadForm } from './upload-form.tsx'
import { ProcessingPhotos, Sending, UploadAnnouncer } from './upload-progress.tsx'

/** The upload dialog: choosing, sending, processing, and what was refused. */
export function UploadDialog() {
  const { open, phase } = useUploadSession()
  const formId = useId()
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? openUpload() : closeUpload())}
      title="Upload Photos"
      footer={<Buttons formId={formId} />}
    >
      <UploadAnnouncer phase={phase} />
      <Phase formId={formId} />
    </Dialog>
  )
}

function Phase({ formId }: { formId: string }) {
  const { phase } = useUploadSession()
  switch (phase.name) {
    case 'choosing':
      return <Choosing formId={formId} problem={phase.problem} />
    case 'sending':
      return <Sending progress={phase.progress} files={phase.files} />
    case 'processing':
      return <ProcessingPhotos processing={phase.processing} />
    case 'report':
      return <Report stored={phase.stored} issues={phase.issues} />
  }
}

function Buttons({ formId }: { formId: string }) {
  const { phase } = useUploadSession()
  const user = useQuery(userQuery)
  switch (phase.name) {
    case 'choosing':
      return (
        user.data && (
          <>
            <Button onClick={closeUpload}>Cancel</Button>
            <Button variant="primary" type="submit" form={formId}>
              {phase.problem ? 'Retry' : 'Upload'}
            </Button>
          </>
        )
      )
    case 'sending':
      return <Button onClick={cancelUpload}>Cancel upload</Button>
    case 'processing':
      return (
        <>
          <Button onClick={uploadMore}>Upload more</Button>
          <Button onClick={closeUpload}>Close</Button>
        </>
      )
    case 'report':
      return (
        <>
          <Button onClick={uploadMore}>Choose other photos</Button>
          <Button variant="primary" onClick={closeUpload}>
            Done
          </Button>
        </>
      )
  }
}

function Choosing({ formId, problem }: { formId: string; problem: Notice | null }) {
  const { draft } = useUploadSession()
  const user = useQuery(userQuery)
  const config = useQuery(configQuery)
  if (user.data === null) return <SessionEnded />
  if (config.isError) {
    return (
      <ErrorState
        title="The upload limits could not be loaded"
        description={noticeOf(config.error)}
        onRetry={() => config.refetch()}
      />
    )
  }
  if (!user.data || !config.data) return <Skeleton className="h-80 rounded-lg" />
  return <UploadForm id={formId} user={user.data} config={config.data} draft={draft} problem={problem} />
}

/** The chosen files are still there after signing in. */
function SessionEnded() {
  return (
    <EmptyState
      icon={<LogIn />}
      title="Your session has ended"
      description="Log in again to go on. The photos you chose are kept."
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

function Report({ stored, issues }: { stored: number; issues: string[] }) {
  return (
    <div className="grid gap-4">
      <p>
        {stored === 0
          ? 'None of the photos could be used:'
          : `${countOf(stored, 'photo')} ${stored === 1 ? 'has' : 'have'} been uploaded and processed. Please note:`}
      </p>
      <IssueList issues={issues} />
    </div>
  )
}
