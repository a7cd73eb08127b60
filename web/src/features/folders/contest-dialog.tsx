import { useId, useState } from 'react'
import { useForm } from 'react-hook-form'
import type { Contest, ContestFields } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { AlertText, Checkbox, Radio } from '../../components/ui/field.tsx'
import { fieldsOf } from '../../components/ui/text-field.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { useUnsavedEdits } from '../../components/unsaved-edits.tsx'
import { showServerFields } from '../../lib/forms.ts'
import { ApiError, errorMessage, isRetryable } from '../../lib/http.ts'
import { useNow } from '../../lib/use-now.ts'
import { zoneName } from '../../lib/zoned-time.ts'
import { useSaveContest } from './contest-changes.ts'
import { ORDERS, SHOWN, VOTERS } from './contest-texts.ts'
import { Choices, clearMoment, localTime, MomentField, momentOf, submitComplete } from './form-parts.tsx'

/** Moments are local times, empty for none. */
type Values = Pick<Contest, 'voters' | 'openBallot' | 'show' | 'order'> & { opensAt: string; closesAt: string }
const MOMENTS = ['opensAt', 'closesAt'] as const
const FIELDS = [...MOMENTS, 'voters', 'openBallot', 'show', 'order'] as const

export function valuesOf({ opensAt, closesAt, voters, openBallot, show, order }: Contest): Values {
  return { opensAt: localTime(opensAt), closesAt: localTime(closesAt), voters, openBallot, show, order }
}

/** What is sent of a changed contest: only what was changed, so that a moment keeps its seconds. */
export function changesOf(contest: Contest, values: Values): ContestFields {
  const before = sentOf(valuesOf(contest))
  const after = sentOf(values)
  return Object.fromEntries(FIELDS.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]]))
}

/** Only ballots of invitations have names. */
const sentOf = ({ opensAt, closesAt, openBallot, ...values }: Values) => ({
  ...values,
  opensAt: momentOf(opensAt),
  closesAt: momentOf(closesAt),
  openBallot: openBallot && values.voters === 'invited',
})

interface ContestDialogProps {
  folderId: number
  contest: Contest
  /** Opens the dialog in which photos are arranged, in place of this one. */
  onArrange: () => void
  onClose: () => void
}

/** When a folder's vote takes place, who votes, and what voters see. */
export function ContestDialog({ folderId, contest, onArrange, onClose }: ContestDialogProps) {
  const formId = useId()
  // What came while the dialog was open changes nothing of the form.
  const [opened] = useState(contest)
  const save = useSaveContest(folderId)
  const form = useForm<Values>({ defaultValues: valuesOf(opened) })
  const { errors, isDirty } = form.formState
  const unsaved = useUnsavedEdits(isDirty)
  const field = fieldsOf(form)
  const [voters, order, opensAt, closesAt] = form.watch(['voters', 'order', 'opensAt', 'closesAt'])
  const now = useNow()

  async function submit(values: Values, then = onClose): Promise<void> {
    const { opensAt, closesAt } = values
    if (opensAt && closesAt && closesAt <= opensAt) {
      return form.setError('closesAt', { message: 'Voting must close after it opens.' }, { shouldFocus: true })
    }
    const fields = changesOf(opened, values)
    try {
      if (Object.keys(fields).length > 0) {
        await save.mutateAsync(fields)
        toast({ title: 'Contest updated' })
      }
      then()
    } catch (error) {
      // What concerns no field is shown beside the button.
      showServerFields(error, FIELDS, form.setError)
    }
  }

  const { error } = save
  return (
    <>
      {unsaved.question}
      <Dialog
        open
        size="large"
        onOpenChange={(open) => !open && unsaved.mayDrop(onClose)}
        title="Contest settings"
        footer={
          <>
            {error && !(error instanceof ApiError && error.body?.fields) && (
              <div className="basis-full!">
                <AlertText>{errorMessage(error)}</AlertText>
              </div>
            )}
            <Button onClick={() => unsaved.mayDrop(onClose)}>Cancel</Button>
            <Button variant="primary" type="submit" form={formId} busy={save.isPending}>
              {error && isRetryable(error) ? 'Retry' : 'Save'}
            </Button>
          </>
        }
      >
        <form
          id={formId}
          noValidate
          aria-label="Contest settings"
          className="grid grid-cols-[minmax(0,1fr)] gap-6"
          onSubmit={(event) => submitComplete(event, form, MOMENTS, (values) => submit(values))}
        >
          <div className="grid gap-x-4 gap-y-6 sm:grid-cols-2">
            <MomentField
              data-autofocus
              label={`Opens (${zoneOf(opensAt)})`}
              what="opening time"
              hint={opensAt ? 'Nobody can vote before this time.' : 'Leave empty to open voting yourself.'}
              {...field('opensAt')}
              onClear={() => clearMoment(form, 'opensAt')}
            />
            <MomentField
              label={`Closes (${zoneOf(closesAt)})`}
              what="closing time"
              hint={
                hasPassed(closesAt, now)
                  ? 'This time has passed: voting is closed.'
                  : 'Nobody can vote after this time.'
              }
              {...field('closesAt')}
              onClear={() => clearMoment(form, 'closesAt')}
            />
          </div>
          <Choices legend="Who may vote">
            {Object.entries(VOTERS).map(([value, { choice, hint }]) => (
              <Radio key={value} value={value} label={choice} hint={hint} {...form.register('voters')} />
            ))}
            {voters === 'invited' && (
              <Checkbox
                label="Open ballot"
                hint="You see who voted for what. Voters are told so before they vote."
                error={errors.openBallot?.message}
                {...form.register('openBallot')}
              />
            )}
            <FieldError message={errors.voters?.message} />
          </Choices>
          <Choices legend="Voters see the standings">
            {Object.entries(SHOWN).map(([value, { choice }]) => (
              <Radio key={value} value={value} label={choice} {...form.register('show')} />
            ))}
            <FieldError message={errors.show?.message} />
          </Choices>
          <Choices legend="Order of photos">
            {Object.entries(ORDERS).map(([value, { choice, hint }]) => (
              <Radio key={value} value={value} label={choice} hint={hint} {...form.register('order')} />
            ))}
            <p className="text-sm text-pretty text-muted">
              Photos at the top get more votes wherever everybody sees the same order; shuffled, none has that
              advantage.
            </p>
            {order === 'own' && (
              <Button
                className="mt-1 justify-self-start"
                onClick={(event) => submitComplete(event, form, MOMENTS, (values) => submit(values, onArrange))}
              >
                {isDirty ? 'Save and arrange photos' : 'Arrange photos'}
              </Button>
            )}
            <FieldError message={errors.order?.message} />
          </Choices>
        </form>
      </Dialog>
    </>
  )
}

/** Of the moment, or of now. */
const zoneOf = (localTime: string) => zoneName(localTime ? new Date(localTime) : undefined)

const hasPassed = (localTime: string, now: number) => localTime !== '' && Date.parse(localTime) <= now

function FieldError({ message }: { message: string | undefined }) {
  if (!message) return null
  return (
    <p role="alert" className="text-sm text-danger">
      {message}
    </p>
  )
}
