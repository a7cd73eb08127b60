import { useMutation } from '@tanstack/react-query'
import { Copy, Download } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { readBallotsFile } from '../../api/contests.ts'
import type { Contest, Folder } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { AlertText, Field, Input, Textarea } from '../../components/ui/field.tsx'
import { Fold } from '../../components/ui/fold.tsx'
import { Switch } from '../../components/ui/switch.tsx'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { useUnsavedEdits } from '../../components/unsaved-edits.tsx'
import { saveFile } from '../../lib/files.ts'
import { ApiError, errorMessage, isRetryable } from '../../lib/http.ts'
import { useSaveContest } from './contest-changes.ts'
import { copyLink } from './link-actions.ts'

const TEXT_LENGTH = 2000

/** The results of a closed vote: whether everybody reads them, with which words, and how they are recounted. */
export function ResultsSection({ folder, contest }: { folder: Folder; contest: Contest }) {
  return (
    <section aria-labelledby="results" className="mt-10">
      <h2 id="results" className="mb-3 text-xl font-semibold">
        Results
      </h2>
      <div className="grid gap-5 rounded-lg bg-surface px-4 py-4 shadow-low ring ring-line">
        <Publication folder={folder} contest={contest} />
        <ResultsText folderId={folder.id} saved={contest.resultsText ?? ''} />
        <Recount folder={folder} />
      </div>
    </section>
  )
}

function Publication({ folder, contest }: { folder: Folder; contest: Contest }) {
  const id = useId()
  const save = useSaveContest(folder.id)
  const published = save.isPending ? save.variables.resultsPublic === true : contest.resultsPublic
  const address = `${location.origin}/share/${folder.shareCode}/results`

  function publish(resultsPublic: boolean): void {
    save.mutate(
      { resultsPublic },
      {
        onSuccess: () => toast({ title: resultsPublic ? 'Results published' : 'Results hidden' }),
        onError: (error) => toastFailure('Failed to change the results', error, () => publish(resultsPublic)),
      },
    )
  }

  return (
    <>
      <div className="flex items-center gap-4">
        <Switch
          checked={published}
          onCheckedChange={(next) => save.isPending || publish(next)}
          aria-labelledby={`${id}-name`}
          aria-describedby={`${id}-explanation`}
        />
        <div className="min-w-0">
          <p id={`${id}-name`} className="font-semibold">
            Publish results
          </p>
          <p id={`${id}-explanation`} className="text-sm text-pretty text-muted">
            {describePublication(published, folder.isPublic)}
          </p>
        </div>
      </div>
      {published && (
        <Field label="Page of the results">
          {(control) => (
            <div className="flex gap-2 max-sm:flex-wrap">
              <Input {...control} readOnly value={address} onFocus={(event) => event.target.select()} />
              <Button className="max-sm:flex-1" onClick={() => copyLink(address)}>
                <Copy aria-hidden /> Copy link
              </Button>
            </div>
          )}
        </Field>
      )}
    </>
  )
}

function describePublication(published: boolean, isPublic: boolean): string {
  if (!published) return 'Only you see the results.'
  if (!isPublic) return 'The folder is private: nobody sees the results until you make it public.'
  return 'Everyone with a link sees the places, the counts and what was excluded. Nobody’s choices are shown.'
}

function ResultsText({ folderId, saved }: { folderId: number; saved: string }) {
  const save = useSaveContest(folderId)
  const [edited, setEdited] = useState<string | null>(null)
  const text = edited ?? saved
  const isChanged = text.trim() !== saved
  const unsaved = useUnsavedEdits(isChanged)
  const tooLong = [...text.trim()].length > TEXT_LENGTH ? 'The text must be at most 2,000 characters' : undefined
  const { error } = save
  const fields = error instanceof ApiError ? error.body?.fields : undefined

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (save.isPending || tooLong) return
    save.mutate(
      { resultsText: text.trim() || null },
      {
        onSuccess: () => {
          setEdited(null)
          toast({ title: 'Text saved' })
        },
      },
    )
  }

  return (
    <form noValidate aria-label="Text of the results" className="grid gap-3" onSubmit={submit}>
      {unsaved.question}
      <Field
        label="In your words"
        optional
        hint="Shown above the results: thank the voters, name the prizes."
        error={tooLong ?? fields?.resultsText}
      >
        {(control) => <Textarea {...control} value={text} onChange={({ target }) => setEdited(target.value)} />}
      </Field>
      {error && !fields && <AlertText>{errorMessage(error)}</AlertText>}
      {/* Not `disabled`: it would lose the focus when the text is saved. */}
      <Button type="submit" className="justify-self-start" aria-disabled={!isChanged || save.isPending}>
        {error && isRetryable(error) ? 'Retry' : 'Save text'}
      </Button>
    </form>
  )
}

function Recount({ folder }: { folder: Folder }) {
  const save = useMutation({
    mutationFn: () => readBallotsFile(folder.id),
    onSuccess: (file) => saveFile(file, `${folder.name} ballots.json`),
    onError: (error) => toastFailure('Failed to download the ballots', error, () => save.mutate()),
  })
  return (
    <div className="grid justify-items-start gap-1">
      <Button aria-busy={save.isPending} onClick={() => save.isPending || save.mutate()}>
        <Download aria-hidden /> Download ballots for a recount
      </Button>
      <Fold title="How to recount">
        <p className="max-w-2xl text-pretty text-muted">
          The file names nobody. Whoever has it and a copy of Skyfolio can count the ballots again with{' '}
          <code className="font-mono wrap-anywhere">npm run ops -- recount &lt;file&gt;</code>.
        </p>
      </Fold>
    </div>
  )
}
