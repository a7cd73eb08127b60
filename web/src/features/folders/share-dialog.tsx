import { useQuery } from '@tanstack/react-query'
import { Lock, Plus } from 'lucide-react'
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { contestQuery } from '../../api/contests.ts'
import { folderLinksQuery } from '../../api/folders.ts'
import type { Contest, Folder } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { AlertText } from '../../components/ui/field.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { useUnsavedEdits } from '../../components/unsaved-edits.tsx'
import { ApiError, errorMessage, isRetryable } from '../../lib/http.ts'
import { useSaveLink } from './link-changes.ts'
import { LinkForm } from './link-form.tsx'
import { LinkPreview } from './link-preview.tsx'
import { LinkTable, type Step } from './link-table.tsx'

const LinkQrCode = lazyComponent(() => import('./link-qr-code.tsx').then((code) => code.LinkQrCode), {
  Loading: () => <Skeleton className="mx-auto aspect-square w-full max-w-80 rounded-md" />,
  failure: 'The QR code could not be made',
})

interface ShareDialogProps {
  folder: Folder
  open: boolean
  onClose: () => void
}

/** The links of a public folder: a list, and one step for what is done with one of them. */
export function ShareDialog({ folder, open, onClose }: ShareDialogProps) {
  return open && <OpenShareDialog folder={folder} onClose={onClose} />
}

function OpenShareDialog({ folder, onClose }: Omit<ShareDialogProps, 'open'>) {
  const formId = useId()
  const [chosen, setStep] = useState<Step | null>(null)
  const [edited, setEdited] = useState(false)
  const links = useQuery({ ...folderLinksQuery(folder.id), enabled: folder.isPublic })
  const contest = useQuery(contestQuery(folder.id))
  const save = useSaveLink(folder.id)
  const unsaved = useUnsavedEdits(edited)
  // The folder became private while the dialog was open.
  const step = folder.isPublic ? chosen : null
  const focusAdded = useStepFocus(step)

  function leaveStep(): void {
    save.reset()
    setStep(null)
  }

  function footerOf(): ReactNode {
    if (!folder.isPublic) return null
    if (!step) {
      return (
        <Button data-adds onClick={() => setStep({ what: 'form', link: null })}>
          <Plus aria-hidden /> Add a link
        </Button>
      )
    }
    if (step.what !== 'form') {
      return (
        <Button data-autofocus onClick={leaveStep}>
          Back
        </Button>
      )
    }
    const { error } = save
    return (
      <>
        {/* What belongs to a field is shown there. */}
        {error && !(error instanceof ApiError && error.body?.fields) && (
          <div className="basis-full!">
            <AlertText>{errorMessage(error)}</AlertText>
          </div>
        )}
        <Button onClick={() => unsaved.mayDrop(leaveStep)}>Cancel</Button>
        <Button variant="primary" type="submit" form={formId} busy={save.isPending}>
          {error && isRetryable(error) ? 'Retry' : step.link ? 'Save' : 'Add link'}
        </Button>
      </>
    )
  }

  return (
    <>
      {unsaved.question}
      <Dialog
        open
        size="large"
        onOpenChange={(open) => !open && unsaved.mayDrop(onClose)}
        title={step ? titleOf(step) : 'Share folder'}
        description={step ? undefined : NEEDS[contest.data?.voters ?? 'anyone']}
        footer={footerOf()}
      >
        {folder.isPublic ? (
          // Hidden, not removed: the focus returns to the button that opened the step.
          <div hidden={step !== null} className="grid gap-5 pb-2">
            <LinkTable folder={folder} links={links} onStep={setStep} />
          </div>
        ) : (
          <p role="status" className="flex items-start gap-3 rounded-md bg-sunken px-4 py-3">
            <Lock aria-hidden className="mt-1 size-4 shrink-0" />
            <span>
              <b className="block font-semibold">Folder is private</b> Make the folder public first to share it.
            </span>
          </p>
        )}
        {step?.what === 'form' && (
          <LinkForm
            id={formId}
            link={step.link}
            onEdited={setEdited}
            save={async (what) => {
              const { id } = await save.mutateAsync(what)
              if (what.id === null) focusAdded(id)
            }}
            onDone={leaveStep}
          />
        )}
        {step?.what === 'code' && <LinkQrCode name={step.name} address={step.address} />}
        {step?.what === 'preview' && <LinkPreview link={step.link} />}
      </Dialog>
    </>
  )
}

const NEEDS: Record<Contest['voters'], string> = {
  anyone: 'Who has a link needs no account.',
  invited: 'Who has a link sees the photos. Voting needs an invitation.',
  users: 'Who has a link sees the photos. Voting needs an account.',
}

function titleOf(step: Step): string {
  if (step.what === 'code') return 'QR code'
  if (step.what === 'preview') return `Preview of “${step.link.name}”`
  return step.link ? `Edit “${step.link.name}”` : 'Add a link'
}

/** Moves the focus into a step, and back to what opened it, or to a link that was added: the returned function says which. */
function useStepFocus(step: Step | null) {
  const opener = useRef<Element | null>(null)
  const added = useRef<number | null>(null)
  // During rendering: the list is hidden before effects run.
  if (step && !opener.current) opener.current = document.activeElement
  useLayoutEffect(() => {
    if (!opener.current) return
    const find = (selector: string) =>
      [...document.querySelectorAll<HTMLElement>(`[role=dialog] ${selector}`)].find((element) =>
        element.checkVisibility(),
      )
    if (step) return find('[data-autofocus]')?.focus()
    const target = find(`[data-link="${added.current}"] [data-copies]`) ?? opener.current
    opener.current = added.current = null
    // The button that adds a link gives way to those of the form.
    if (target instanceof HTMLElement) (target.isConnected ? target : find('[data-adds]'))?.focus()
  }, [step])
  return (id: number) => {
    added.current = id
  }
}
