import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { forgetCustomer, readCustomer } from '../../api/print-orders.ts'
import { userQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import { Checkbox, Field, Input } from '../../components/ui/field.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { reportError } from './actions/report-error.ts'
import { changeCustomer, prefillCustomer, setRemember } from './wizard-state.ts'
import { change, currentSession, useActivity, useWizard } from './wizard-store.ts'

const FIELDS = [
  { name: 'firstName', label: 'First name', autoComplete: 'given-name' },
  { name: 'lastName', label: 'Last name', autoComplete: 'family-name' },
  { name: 'email', label: 'Email', autoComplete: 'email', type: 'email' },
  { name: 'phone', label: 'Phone', autoComplete: 'tel', type: 'tel' },
] as const

/** Who picks the prints up. The details are remembered only on request. */
export function CustomerFields() {
  const { customer, remember, fieldErrors } = useWizard()
  const { stored, forget } = useRememberedCustomer()
  const section = useFocusOnError()
  return (
    <section ref={section} aria-labelledby="customer-information" className="grid gap-3">
      <h4 id="customer-information" className="font-semibold">
        Customer information
      </h4>
      <div className="grid gap-3 sm:grid-cols-2 sm:[&>:nth-child(n+3)]:col-span-2">
        {FIELDS.map(({ name, label, ...attributes }) => (
          <Field key={name} label={label} error={fieldErrors[name]}>
            {(control) => (
              <Input
                {...control}
                {...attributes}
                required
                maxLength={200}
                value={customer[name]}
                onChange={(event) => change(changeCustomer, { [name]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <div>
        <Checkbox
          label="Remember my details"
          hint="Kept in your account for the next order."
          checked={remember}
          onChange={(event) => change(setRemember, event.target.checked)}
        />
        {stored && (
          <Button size="small" variant="quiet" className="ml-4.5" onClick={forget}>
            Forget my details
          </Button>
        )}
      </div>
    </section>
  )
}

/** Moves the focus to the first field that the server does not accept, once the fields can be used again. */
function useFocusOnError() {
  const { fieldErrors } = useWizard()
  const { busy } = useActivity()
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (busy !== null || Object.keys(fieldErrors).length === 0) return
    section.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [busy, fieldErrors])
  return section
}

/** Fills empty fields with the remembered details, or else with the account's. */
function useRememberedCustomer() {
  const client = useQueryClient()
  const { data: user } = useQuery(userQuery)
  const [stored, setStored] = useState(false)

  const enter = useEffectEvent(async () => {
    const { order, change } = currentSession()
    const isEmpty = Object.values(order()?.customer ?? {}).every((text) => text === '')
    // The fields can be filled without them.
    const remembered = await readCustomer().catch(() => null)
    setStored(remembered !== null)
    if (!isEmpty) return
    if (remembered) change(setRemember, true)
    change(prefillCustomer, remembered ?? { firstName: user?.firstName, lastName: user?.lastName, email: user?.email })
  })
  useEffect(() => void enter(), [])

  async function forget(): Promise<void> {
    const session = currentSession()
    try {
      await forgetCustomer()
      setStored(false)
      session.change(setRemember, false)
      toast({ title: 'Your details have been erased', description: 'They are still in this form.' })
    } catch (error) {
      reportError(client, session, error, 'Your details could not be erased. Please try again.')
    }
  }

  return { stored, forget }
}
