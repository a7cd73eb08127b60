import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { useForm } from 'react-hook-form'
import { forgetCustomer, type PrintCustomer, readCustomer } from '../../../api/print-orders.ts'
import { userQuery } from '../../../api/queries.ts'
import { Button } from '../../../components/ui/button.tsx'
import { Checkbox, Field, Input } from '../../../components/ui/field.tsx'
import { Skeleton } from '../../../components/ui/loading.tsx'
import { toast } from '../../../components/ui/toast.tsx'
import { reportError } from '../actions/run.ts'
import { changeCustomer, edit, prefillCustomer } from '../wizard-state.ts'
import { change, currentSession, useActivity, useWizard } from '../wizard-store.ts'

const FIELDS = [
  { name: 'firstName', label: 'First name', autoComplete: 'given-name' },
  { name: 'lastName', label: 'Last name', autoComplete: 'family-name' },
  { name: 'email', label: 'Email', autoComplete: 'email', type: 'email' },
  { name: 'phone', label: 'Phone', autoComplete: 'tel', type: 'tel' },
] as const

/** Who picks the prints up. The order keeps what is typed; the account remembers it only on request. */
export function CustomerForm() {
  const client = useQueryClient()
  const { data: user } = useQuery(userQuery)
  const { customer, remember, fieldErrors } = useWizard()
  const { busy } = useActivity()
  const { register, reset, setError, clearErrors, formState } = useForm<PrintCustomer>({ defaultValues: customer })
  const [stored, setStored] = useState(false)
  const [isAwaited, setIsAwaited] = useState(isEmpty(customer))

  /** Fills empty fields with the remembered details, or else with the account's. */
  const prefill = useEffectEvent(async () => {
    const { order, change } = currentSession()
    // The form works without them.
    const remembered = await readCustomer().catch(() => null)
    setStored(remembered !== null)
    if (!isAwaited) return
    setIsAwaited(false)
    if (remembered) change(edit, { remember: true })
    change(prefillCustomer, remembered ?? { firstName: user?.firstName, lastName: user?.lastName, email: user?.email })
    reset(order()?.customer)
  })
  useEffect(() => void prefill(), [])

  /** Shows what the server does not accept, once the fields can be used again. */
  const showErrors = useEffectEvent(() => {
    clearErrors()
    const wrong = FIELDS.filter(({ name }) => fieldErrors[name])
    for (const [index, { name }] of wrong.entries()) {
      setError(name, { type: 'server', message: fieldErrors[name] }, { shouldFocus: index === 0 })
    }
  })
  useEffect(() => {
    if (busy === null) showErrors()
  }, [busy])

  async function forget(): Promise<void> {
    const session = currentSession()
    try {
      await forgetCustomer()
      setStored(false)
      session.change(edit, { remember: false })
      toast({ title: 'Your details have been erased', description: 'They are still in this form.' })
    } catch (error) {
      reportError(client, session, error, 'Your details could not be erased. Please try again.')
    }
  }

  return (
    <section aria-labelledby="customer-information" className="grid gap-3">
      <h4 id="customer-information" className="font-semibold">
        Customer information
      </h4>
      {isAwaited && (
        <p role="status" className="sr-only">
          Loading your details
        </p>
      )}
      <div className="grid gap-3 sm:grid-cols-2 sm:[&>:nth-child(n+3)]:col-span-2">
        {FIELDS.map(({ name, label, ...attributes }) =>
          isAwaited ? (
            <Skeleton key={name} className="h-17 rounded-md" />
          ) : (
            <Field key={name} label={label} error={formState.errors[name]?.message}>
              {(control) => (
                <Input
                  {...control}
                  {...attributes}
                  required
                  maxLength={200}
                  {...register(name, {
                    onChange(event) {
                      clearErrors(name)
                      change(changeCustomer, { [name]: event.target.value })
                    },
                  })}
                />
              )}
            </Field>
          ),
        )}
      </div>
      <div>
        <Checkbox
          label="Remember my details"
          hint="Kept in your account for the next order."
          checked={remember}
          onChange={(event) => change(edit, { remember: event.target.checked })}
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

function isEmpty(customer: PrintCustomer): boolean {
  return Object.values(customer).every((text) => text === '')
}
